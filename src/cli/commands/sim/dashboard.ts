import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { openInBrowser } from '../../open-in-browser.ts'
import type { View } from '../../output/view.ts'

interface Flags extends ControlFlags {
  readonly open?: true
}

export const commands = {
  dashboard: () =>
    controlCommand(
      'sim dashboard',
      command =>
        command
          .description('Print a link that signs a browser in to the dashboard. It works once.')
          .option('--open', 'open it in the browser too')
          .addHelpText('after', examples('paysim sim dashboard', 'paysim sim dashboard --open'))
          .action((flags: Flags) =>
            withControl(flags, async ({ control, show }) => {
              const call = control.dashboardLink()
              await show(call, linkView)
              if (flags.open) await openInBrowser((await call).url, warn)
            }),
          ),
      { account: false },
    ),
}

const linkView: View<{ readonly url: string }> = { human: ({ url }) => url }

const warn = (message: string) => process.stderr.write(`paysim: ${message}\n`)
