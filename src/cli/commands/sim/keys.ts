import type { KeyPairRecord } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { doneView } from '../../output/view.ts'
import { keyColumns, listView, rowView } from './tables.ts'

interface RevealFlags extends ControlFlags {
  readonly reveal?: true
}

export const commands = {
  list: () =>
    controlCommand(
      'sim keys list',
      command =>
        command
          .description('List the key pairs of an account. Secret keys are hidden, except with -o json.')
          .option('--reveal', 'show secret keys')
          .addHelpText(
            'after',
            examples('paysim sim keys list --account shop.live', 'paysim sim keys list --reveal'),
          )
          .action((flags: RevealFlags) =>
            withControl(flags, ({ account, show }) =>
              show(
                account.keys.list(),
                listView<KeyPairRecord>('No keys: all were revoked.', keyColumns(flags.reveal)),
              ),
            ),
          ),
      { list: true },
    ),

  add: () =>
    controlCommand('sim keys add', command =>
      command
        .description('Add a key pair to an account. Its other key pairs stay valid.')
        .option('--reveal', 'show the secret key')
        .addHelpText(
          'after',
          examples('paysim sim keys add --account shop --reveal', 'paysim sim keys add -o json'),
        )
        .action((flags: RevealFlags) =>
          withControl(flags, ({ account, show }) =>
            show(account.keys.add(), rowView<KeyPairRecord>(keyColumns(flags.reveal))),
          ),
        ),
    ),

  revoke: () =>
    controlCommand('sim keys revoke', command =>
      command
        .description('Revoke a key pair. The next request with it is answered with 401.')
        .argument('<public-key>', 'public key of the pair, such as pk_test_123')
        .addHelpText('after', examples('paysim sim keys revoke pk_test_123 --account shop'))
        .action((publicKey: string, flags: ControlFlags) =>
          withControl(flags, ({ account, show }) =>
            show(account.keys.revoke(publicKey), doneView(`${publicKey} revoked`)),
          ),
        ),
    ),
}
