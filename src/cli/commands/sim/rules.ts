import type { ProviderRule, RulesState } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { readList } from '../../control/read-document.ts'
import { withControl } from '../../control/session.ts'
import type { View } from '../../output/view.ts'
import { drawRule } from './draw-rule.ts'

export const commands = {
  list: () =>
    controlCommand('sim rules list', command =>
      command
        .description('List the provider rules, and how often each was used.')
        .addHelpText(
          'after',
          examples('paysim sim rules', 'paysim sim rules list -o yaml --query rules > rules.yaml'),
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.rules.get(), rulesView)),
        ),
    ),

  set: () =>
    controlCommand('sim rules set', command =>
      command
        .description('Replace the provider rules. An invalid rule changes nothing.')
        .argument('<file>', 'YAML or JSON: a list, or {rules: […]}; - means stdin')
        .addHelpText(
          'after',
          examples(
            'paysim sim rules set rules.yaml',
            `echo '[{match: {kind: payment}, outcome: {after: 5s, status: succeeded}}]' | paysim sim rules set -`,
          ),
        )
        .action((file: string, flags: ControlFlags) =>
          withControl(flags, async ({ account, show }) =>
            show(account.rules.replace(await readRules(file)), rulesView),
          ),
        ),
    ),

  add: () =>
    controlCommand('sim rules add', command =>
      command
        .description('Add provider rules in front of the others, which keep their counts.')
        .argument('<file>', 'YAML or JSON: a list, or {rules: […]}; - means stdin')
        .addHelpText(
          'after',
          examples(
            'paysim sim rules add declines.yaml',
            `echo '[{times: 1, match: {kind: payment}, outcome: {status: failed}}]' | paysim sim rules add -`,
          ),
        )
        .action((file: string, flags: ControlFlags) =>
          withControl(flags, async ({ account, show }) =>
            show(account.rules.prepend(await readRules(file)), rulesView),
          ),
        ),
    ),

  reset: () =>
    controlCommand('sim rules reset', command =>
      command
        .description('Restore the rules that ship with paysim.')
        .addHelpText('after', examples('paysim sim rules reset --account shop'))
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.rules.reset(), rulesView)),
        ),
    ),
}

/** The server checks the rules, and names each problem. */
const readRules = async (file: string) => (await readList(file, 'rules')) as ProviderRule[]

const rulesView: View<RulesState> = {
  human({ standard, rules, used }, screen) {
    const { paint } = screen
    if (rules.length === 0)
      return paint.dim('No rules: every payment waits for its payer, and every payout for approval.')
    const title = standard
      ? 'The rules that ship with paysim; the first match wins'
      : "This account's own rules; the first match wins"
    return `${paint.dim(title)}\n\n${rules.map((rule, at) => drawRule(rule, at, used[at], screen)).join('\n\n')}`
  },
  rows: ({ rules, used }) => rules.map((rule, at) => ({ ...rule, used: used[at] ?? 0 })),
}
