import { nounOf, row } from '../../control/row.ts'
import { keyColumns, rowView } from './tables.ts'

export const keys = nounOf('sim keys', {
  list: row('GET /accounts/:account/keys', {
    summary: 'list key pairs',
    description: 'List the key pairs of an account. Secret keys are hidden, except with -o json.',
    flags: { '--reveal': 'show secret keys' },
    examples: ['paysim sim keys list --account shop.live', 'paysim sim keys list --reveal'],
    show: {
      table: ({ reveal }) => ({ empty: 'No keys: all were revoked.', columns: keyColumns(reveal === true) }),
    },
  }),
  add: row('POST /accounts/:account/keys', {
    summary: 'add a key pair',
    description: 'Add a key pair to an account. Its other key pairs stay valid.',
    flags: { '--reveal': 'show the secret key' },
    examples: ['paysim sim keys add --account shop --reveal', 'paysim sim keys add -o json'],
    show: { view: ({ reveal }) => rowView(keyColumns(reveal === true)) },
  }),
  revoke: row('DELETE /accounts/:account/keys/:key', {
    summary: 'revoke a key pair at once',
    description: 'Revoke a key pair. The next request with it is answered with 401.',
    arguments: {
      '<public-key>': { about: 'public key of the pair, such as pk_test_123', to: 'params.key' },
    },
    examples: ['paysim sim keys revoke pk_test_123 --account shop'],
    show: { done: given => `${given['public-key']} revoked` },
  }),
})
