import type { PayoutRow } from '../../../contract/control/payouts.ts'
import { moneyText } from '../format/money.ts'
import { humanise } from '../format/words.ts'
import { addressOf } from '../state/router.ts'
import { useCatalogue } from '../state/use-catalogue.ts'
import { Status } from '../ui/badge.tsx'
import { Command } from '../ui/copy.tsx'
import { Empty } from '../ui/empty.tsx'
import type { ListColumn } from '../ui/list-layout.ts'
import { Money } from '../ui/money.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { ChoiceFilter, ClearFilters, DateFilter, filterQuery, SearchFilter } from './filters.tsx'
import { firstPayoutCommand } from './first-payment.ts'
import { MoreFilters } from './more-filters.tsx'
import { NewPayout } from './new-payout.tsx'

const STATUSES = ['requires_approval', 'processing', 'succeeded', 'failed', 'cancelled'].map(
  status => [status, humanise(status)] as const,
)
const FILTERS = ['q', 'status', 'currency', 'created_after', 'created_before', 'rule']

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
        <ChoiceFilter name="status" label="Status" all="Any status" options={STATUSES} />
        <ChoiceFilter name="currency" label="Currency" all="Any currency" options={currencies} />
        <MoreFilters names={['created_after', 'created_before', 'rule']}>
          <ChoiceFilter name="rule" label="Rule" all="Any rule" options={[]} />
          <DateFilter name="created_after" label="Created from" />
          <DateFilter name="created_before" label="Created before" />
        </MoreFilters>
        <ClearFilters names={FILTERS} />
      </search>
      <VirtualList
        label={{ one: 'payout', many: 'payouts' }}
        call="GET /accounts/:account/browse/payouts"
        account={account}
        query={query}
        about={['payouts']}
        columns={COLUMNS}
        hrefOf={({ id }) => addressOf(account, 'payouts', id)}
        nameOf={nameOf}
        empty={query ? <NothingFound /> : <NoPayouts account={account} />}
      />
    </Page>
  )
}

const NothingFound = () => (
  <Empty title="No matching payouts">
    <p>Remove a filter, or search for another part of the reference.</p>
  </Empty>
)

const NoPayouts = ({ account }: { account: string }) => (
  <Empty title="No payouts yet">
    <p>
      The merchant API has no call that creates a payout. Create one here with “New payout”, or with the
      control surface:
    </p>
    <Command text={firstPayoutCommand(account)} />
  </Empty>
)
