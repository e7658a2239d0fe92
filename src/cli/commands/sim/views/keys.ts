import type { KeyPairRecord } from '../../../../client/control-client.ts'
import type { Column } from '../../../output/columns.ts'
import { drawTable } from '../../../output/table.ts'
import type { View } from '../../../output/view.ts'
import { memberColumn } from './columns.ts'
import { type Listed, listView } from './list-view.ts'
import { hidden } from './secrets.ts'

export const keyColumns = (reveal: boolean): Column[] => [
  memberColumn('public key', 'public_key'),
  memberColumn('secret key', 'secret_key', {
    value: row => {
      const { secret_key: secret } = row as { secret_key: string | null }
      return reveal ? (secret ?? '') : hidden(secret)
    },
  }),
]

export const keysView = (reveal: boolean): View<Listed<KeyPairRecord>> =>
  listView('No keys: every one was revoked.', keyColumns(reveal))

export const keyView = (reveal: boolean): View<KeyPairRecord> => ({
  human: (pair, screen) => drawTable([pair], { columns: keyColumns(reveal), empty: '' }, screen),
})
