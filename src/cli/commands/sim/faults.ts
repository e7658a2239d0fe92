import type { FaultRule, FaultsState } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { readList } from '../../control/read-document.ts'
import { withControl } from '../../control/session.ts'
import type { View } from '../../output/view.ts'
import { drawRule } from './draw-rule.ts'

export const commands = {
  list: () =>
    controlCommand('sim faults list', command =>
      command
        .description('List the faults on the wire, and how often each happened.')
        .addHelpText(
          'after',
          examples('paysim sim faults', 'paysim sim faults list -o yaml --query faults > faults.yaml'),
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.faults.get(), faultsView)),
        ),
    ),

  set: () =>
    controlCommand('sim faults set', command =>
      command
        .description('Replace the faults on the wire. An invalid fault changes nothing.')
        .argument('<file>', 'YAML or JSON: a list, or {faults: […]}; - means stdin')
        .addHelpText(
          'after',
          examples(
            'paysim sim faults set faults.yaml',
            `echo '[{on: POST /payment_intents, nth: 2, type: reset, when: after_commit}]' | paysim sim faults set -`,
          ),
        )
        .action((file: string, flags: ControlFlags) =>
          withControl(flags, async ({ account, show }) =>
            // The server checks the faults, and names each problem.
            show(account.faults.replace((await readList(file, 'faults')) as FaultRule[]), faultsView),
          ),
        ),
    ),

  clear: () =>
    controlCommand('sim faults clear', command =>
      command
        .description('Remove all faults.')
        .addHelpText('after', examples('paysim sim faults clear'))
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.faults.clear(), faultsView)),
        ),
    ),
}

const faultsView: View<FaultsState> = {
  human({ faults, used, windows }, screen) {
    if (faults.length === 0) return screen.paint.dim('No faults.')
    return faults
      .map((fault, at) => drawRule({ ...fault, ...windowOf(fault, windows[at]) }, at, used[at], screen))
      .join('\n\n')
  },
  rows: ({ faults, used }) => faults.map((fault, at) => ({ ...fault, used: used[at] ?? 0 })),
}

/** For a fault with `for: 1h`, when that hour begins and ends. */
function windowOf(
  fault: FaultRule,
  window: FaultsState['windows'][number] | undefined,
): { happens?: string } {
  if (fault.for === undefined || !window) return {}
  const { from, until } = window
  return { happens: [from && `from ${from}`, until && `until ${until}`].filter(Boolean).join(' ') }
}
