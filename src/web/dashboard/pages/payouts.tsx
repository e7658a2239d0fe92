import type { PayoutRow } from '../../../contract/control/payments.ts'
import { PAYOUT_STATUSES } from '../../../contract/statuses.ts'
import { humanise, moneyText } from '../format.ts'
import { addressOf } from '../state/router.ts'
import { Money, Status, Time } from '../ui/badge.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/panel.tsx'
import { type ListColumn, VirtualList } from '../ui/virtual-list.tsx'
import { allRows, ExportList } from './export-list.tsx'
import {
  ChoiceFilter,
  ClearFilters,
  DateFilter,
  filterQuery,
  MoreFilters,
  optionsOf,
  SearchFilter,
  TextFilter,
  useCatalogue,
} from './filters.tsx'
import { NewPayout } from './payout-by-hand.tsx'

const LIST = 'GET /accounts/:account/browse/payouts'
const MORE = ['created_after', 'created_before', 'failure_code', 'rule']
const FILTERS = ['q', 'status', 'currency', ...MORE]

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

const nameOf = ({ merchant_reference, amount, currency, status, failure_code }: PayoutRow) =>
  [
    `Payout ${merchant_reference}`,
    `${moneyText(amount, currency)} ${currency}`,
    humanise(status),
    failure_code,
  ]
    .filter(Boolean)
    .join(', ')

export function PayoutsPage({ account }: { account: string }) {
  const { currencies } = useCatalogue(account)
  const query = filterQuery(FILTERS)
  return (
    <Page title="Payouts" fills actions={<NewPayout account={account} />}>
      <search class="filters">
        <SearchFilter hint="ID, reference or recipient" />
        <ChoiceFilter name="status" label="Status" all="Any status" options={optionsOf(PAYOUT_STATUSES)} />
        <ChoiceFilter name="currency" label="Currency" all="Any currency" options={currencies} />
        <MoreFilters names={MORE}>
          <TextFilter name="failure_code" label="Failure code" placeholder="account_closed" />
          <ChoiceFilter name="rule" label="Rule" all="Any rule" options={[]} />
          <DateFilter name="created_after" label="Created from" />
          <DateFilter name="created_before" label="Created before" />
        </MoreFilters>
        <ClearFilters names={FILTERS} />
        <ExportList name="payouts" read={onRead => allRows(LIST, account, query, onRead)} />
      </search>
      <VirtualList
        label={{ one: 'payout', many: 'payouts' }}
        call={LIST}
        account={account}
        query={query}
        about={['payouts']}
        columns={COLUMNS}
        hrefOf={({ id }) => addressOf(account, 'payouts', id)}
        nameOf={nameOf}
        empty={query ? <NothingFound /> : <NoPayouts />}
      />
    </Page>
  )
}

const NothingFound = () => (
  <Empty title="No matching payouts">
    <p>Remove a filter, or search for another part of the reference.</p>
  </Empty>
)

const NoPayouts = () => (
  <Empty title="No payouts yet">
    <p>The merchant API has no call that creates a payout. Create one with “New payout”.</p>
  </Empty>
)
