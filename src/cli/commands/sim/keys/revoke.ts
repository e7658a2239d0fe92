import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { doneView } from '../../../output/view.ts'

export const command = (): Command =>
  controlCommand('sim keys revoke', declare =>
    declare
      .description('Revokes a key pair: the next request with it is answered with 401.')
      .argument('<public-key>', 'as pk_test_…')
      .addHelpText('after', '\nExamples:\n  paysim sim keys revoke pk_test_123 --account shop')
      .action((publicKey: string, flags: ControlFlags) =>
        withControl(flags, ({ account, show }) =>
          show(account.keys.revoke(publicKey), doneView(`${publicKey} revoked`)),
        ),
      ),
  )
