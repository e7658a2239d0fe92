import type { PaymentRow } from '../../../contract/control/payments.ts'
import {
  CHECKOUT_MODES,
  FINAL_STATUSES,
  PAYMENT_STATUSES,
  RECEIPT_STATUSES,
} from '../../../contract/statuses.ts'
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
import { FirstPayment } from './first-payment.tsx'
import { NewPayment } from './pay-by-hand.tsx'

const LIST = 'GET /accounts/:account/browse/payments'
const MORE = [
  ...['checkout_mode', 'created_after', 'created_before', 'receipt', 'cancelling'],
  ...['failure_code', 'route', 'rule'],
]
const FILTERS = ['q', 'status', 'method', 'currency', ...MORE]

const COLUMNS: readonly ListColumn<PaymentRow>[] = [
  {
    title: 'Amount',
    width: 'minmax(142px, 1fr)',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    title: 'Status',
    width: 'minmax(192px, 1.2fr)',
    cell: row => <Status status={row.status} note={noteOf(row)} />,
  },
  { title: 'Reference', width: 'minmax(146px, 1.4fr)', cell: row => row.merchant_reference ?? '' },
  {
    title: 'Method',
    width: 'minmax(128px, 1.1fr)',
    cell: row => row.payment_method ?? <i>not chosen yet</i>,
  },
  { title: 'Customer', width: 'minmax(118px, 1.1fr)', cell: row => row.customer_name ?? '' },
  { title: 'Created', width: '132px', cell: row => <Time at={row.created_at} short />, align: 'end' },
]

/** Details that the status does not show. */
function noteOf(row: PaymentRow): string | null {
  if (row.cancelled) return 'cancelled'
  if (row.failure_code) return row.failure_code
  if (row.cancelling) return 'cancelling'
  return row.receipt && !FINAL_STATUSES.includes(row.status) ? `receipt ${row.receipt}` : null
}

/** The row as text, for screen readers. */
const nameOf = (row: PaymentRow) =>
  [
    `Payment ${row.merchant_reference ?? row.id}`,
    `${moneyText(row.amount, row.currency)} ${row.currency}`,
    humanise(row.status),
    noteOf(row),
  ]
    .filter(Boolean)
    .join(', ')

export function PaymentsPage({ account }: { account: string }) {
  const { methods, currencies, routes } = useCatalogue(account)
  const query = filterQuery(FILTERS)
  return (
    <Page title="Payments" fills actions={<NewPayment account={account} />}>
      <search class="filters">
        <SearchFilter hint="ID, reference or customer" />
        <ChoiceFilter name="status" label="Status" all="Any status" options={optionsOf(PAYMENT_STATUSES)} />
        <ChoiceFilter name="method" label="Method" all="Any method" options={methods} />
        <ChoiceFilter name="currency" label="Currency" all="Any currency" options={currencies} />
        <MoreFilters names={MORE}>
          <ChoiceFilter
            name="checkout_mode"
            label="Checkout mode"
            all="Any mode"
            options={optionsOf(CHECKOUT_MODES)}
          />
          <ChoiceFilter
            name="receipt"
            label="Receipt"
            all="Any receipt"
            options={optionsOf(RECEIPT_STATUSES)}
          />
          <ChoiceFilter
            name="cancelling"
            label="Cancellation"
            all="Any"
            options={[['true', 'Asked for, not answered']]}
          />
          <TextFilter name="failure_code" label="Failure code" placeholder="insufficient_funds" />
          <ChoiceFilter name="route" label="Route" all="Any route" options={routes} />
          <ChoiceFilter name="rule" label="Rule" all="Any rule" options={[]} />
          <DateFilter name="created_after" label="Created from" />
          <DateFilter name="created_before" label="Created before" />
        </MoreFilters>
        <ClearFilters names={FILTERS} />
        <ExportList name="payments" read={onRead => allRows(LIST, account, query, onRead)} />
      </search>
      <VirtualList
        label={{ one: 'payment', many: 'payments' }}
        call={LIST}
        account={account}
        query={query}
        about={['payments']}
        columns={COLUMNS}
        hrefOf={({ id }) => addressOf(account, 'payments', id)}
        nameOf={nameOf}
        empty={query ? <NothingFound /> : <NoPayments account={account} />}
      />
    </Page>
  )
}

const NothingFound = () => (
  <Empty title="No matching payments">
    <p>Remove a filter, or search for another part of the reference.</p>
  </Empty>
)

const NoPayments = ({ account }: { account: string }) => (
  <Empty title="No payments yet">
    <p>Create one with the keys of this account. It will appear here at once.</p>
    <FirstPayment account={account} />
  </Empty>
)
