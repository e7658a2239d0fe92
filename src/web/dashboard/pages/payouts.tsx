import type { PayoutRow } from '../../../contract/control/payments.ts'
import { PAYOUT_STATUSES } from '../../../contract/statuses.ts'
import { humanise, moneyText } from '../format.ts'
import { Money, Status, Time } from '../ui/badge.tsx'
import { Empty } from '../ui/panel.tsx'
import type { ListColumn } from '../ui/virtual-list.tsx'
import { BrowsePage } from './browse-page.tsx'
import { optionsOf, useCatalogue } from './filters.tsx'
import { NewPayout } from './payout-by-hand.tsx'

const COLUMNS: readonly ListColumn<PayoutRow>[] = [
  {
    title: 'Amount',
    width: 'minmax(146px, 1fr)',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    title: 'Status',
    width: 'minmax(180px, 1.2fr)',
    cell: row => <Status status={row.status} note={row.failure_code} />,
  },
  { title: 'Reference', width: 'minmax(140px, 1.4fr)', cell: row => row.merchant_reference },
  { title: 'Recipient', width: 'minmax(140px, 1.2fr)', cell: row => row.holder_name },
  {
    title: 'Account',
    width: 'minmax(120px, 1fr)',
    cell: row => (
      <span class="tabular">
        {row.bank_code} ···· {row.account_last4}
      </span>
    ),
  },
  { title: 'Created', width: '132px', cell: row => <Time at={row.created_at} short />, align: 'end' },
]

const nameOf = ({ merchant_reference, amount, currency, status, failure_code }: PayoutRow) => [
  `Payout ${merchant_reference}`,
  `${moneyText(amount, currency)} ${currency}`,
  humanise(status),
  failure_code,
]

export function PayoutsPage({ account }: { account: string }) {
  const { currencies } = useCatalogue(account)
  return (
    <BrowsePage
      account={account}
      page="payouts"
      call="GET /accounts/:account/browse/payouts"
      label={{ one: 'payout', many: 'payouts' }}
      actions={<NewPayout account={account} />}
      search="ID, reference or recipient"
      filters={[
        { name: 'status', label: 'Status', options: optionsOf(PAYOUT_STATUSES) },
        { name: 'currency', label: 'Currency', options: currencies },
      ]}
      more={[
        { name: 'failure_code', label: 'Failure code', placeholder: 'account_closed' },
        { name: 'rule', label: 'Rule', options: [] },
      ]}
      columns={COLUMNS}
      nameOf={nameOf}
      none={
        <Empty title="No payouts yet">
          <p>The merchant API has no call that creates a payout. Create one with “New payout”.</p>
        </Empty>
      }
    />
  )
}
