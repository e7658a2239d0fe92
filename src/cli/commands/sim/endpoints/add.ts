import type { Command } from 'commander'
import type { EventChoice } from '../../../../contract/event-names.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { words } from '../../../flag-values.ts'
import { endpointView } from '../views/records.ts'

interface Flags extends ControlFlags {
  /** Others are refused by the simulator, which has the list. */
  readonly events?: readonly EventChoice[]
  readonly reveal?: true
}

export const command = (): Command =>
  controlCommand('sim endpoints add', declare =>
    declare
      .description('Sends the events of an account to a URL from now on.')
      .argument('<url>', 'on this machine, or at a host that `serve --allow-webhooks` names')
      .option(
        '--events <names>',
        'only these, with commas between them; * for all; else the seven ends',
        words,
      )
      .option('--reveal', 'show the signing secret')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim endpoints add http://127.0.0.1:4000/hooks --reveal
  paysim sim endpoints add http://127.0.0.1:4000/hooks --events payment.succeeded,payment.failed`,
      )
      .action((url: string, { events, ...flags }: Flags) =>
        withControl(flags, ({ account, show }) =>
          show(
            account.webhookEndpoints.add({ url, ...(events ? { events } : {}) }),
            endpointView(flags.reveal ?? false),
          ),
        ),
      ),
  )
