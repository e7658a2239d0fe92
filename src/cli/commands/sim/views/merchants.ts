import type { MerchantRecord } from '../../../../client/control-client.ts'
import { drawRecord, sections } from '../../../output/record.ts'
import { drawTable } from '../../../output/table.ts'
import { visible } from '../../../output/text.ts'
import type { View } from '../../../output/view.ts'
import { idColumn, memberColumn } from './columns.ts'
import { keyColumns } from './keys.ts'
import { listView } from './list-view.ts'
import { modesOf } from './modes.ts'

export const merchantsView = listView<MerchantRecord>(
  'No merchants.',
  [
    idColumn(),
    memberColumn('name', 'name', { give: 2 }),
    { header: 'checkout modes', value: row => modesOf((row as MerchantRecord).checkout_modes), give: 3 },
    memberColumn('test key', 'accounts.0.public_key', { give: 1, whole: true, value: publicKeyOf('test') }),
    memberColumn('live key', 'accounts.1.public_key', { give: 1, whole: true, value: publicKeyOf('live') }),
  ],
  ['id', 'name', 'checkout_modes'],
)

function publicKeyOf(environment: string) {
  return (row: unknown) =>
    (row as MerchantRecord).accounts.find(account => account.environment === environment)?.public_key ??
    'revoked'
}

export const merchantView = (reveal: boolean): View<MerchantRecord> => ({
  human(merchant, screen) {
    const accounts = merchant.accounts.flatMap(({ id, more_keys = [], ...pair }) =>
      [pair, ...more_keys].map(keys => ({ id, ...keys })),
    )
    return sections(
      `${screen.paint.bold(visible(merchant.id))}\n${drawRecord(
        [
          { label: 'name', value: merchant.name },
          { label: 'checkout modes', value: modesOf(merchant.checkout_modes) },
        ],
        screen,
      )}`,
      drawTable(accounts, { columns: [idColumn('account'), ...keyColumns(reveal)], empty: '' }, screen),
    )
  },
})
