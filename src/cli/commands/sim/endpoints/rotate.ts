import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { endpointView } from '../views/records.ts'

interface Flags extends ControlFlags {
  readonly overlap?: string
  readonly reveal?: true
}

export const command = (): Command =>
  controlCommand('sim endpoints rotate', declare =>
    declare
      .description('Gives a webhook endpoint a new secret. The old one signs too until the overlap ends.')
      .argument('<id>', 'of the endpoint, as we_…')
      .option('--overlap <duration>', 'how long the old secret goes on signing; 24h otherwise')
      .option('--reveal', 'show signing secrets')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim endpoints rotate we_123 --reveal
  paysim sim endpoints rotate we_123 --overlap 1h`,
      )
      .action((id: string, flags: Flags) =>
        withControl(flags, ({ account, show }) =>
          show(account.webhookEndpoints.rotateSecret(id, flags.overlap), endpointView(flags.reveal ?? false)),
        ),
      ),
  )
