import type { PaymentRow } from '../../../contract/control/payments.ts'
import {
  CHECKOUT_MODES,
  FINAL_STATUSES,
  PAYMENT_STATUSES,
  RECEIPT_STATUSES,
} from '../../../contract/statuses.ts'
import { humanise, moneyText } from '../format.ts'
import { Money, Status, Time } from '../ui/badge.tsx'
import { Empty } from '../ui/panel.tsx'
import type { ListColumn } from '../ui/virtual-list.tsx'
import { BrowsePage } from './browse-page.tsx'
import { FirstPayment } from './call-as-code.tsx'
import { optionsOf, useCatalogue } from './filters.tsx'
import { NewPayment } from './pay-by-hand.tsx'

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

const nameOf = (row: PaymentRow) => [
  `Payment ${row.merchant_reference ?? row.id}`,
  `${moneyText(row.amount, row.currency)} ${row.currency}`,
  humanise(row.status),
  noteOf(row),
]

export function PaymentsPage({ account }: { account: string }) {
  const { methods, currencies, routes } = useCatalogue(account)
  return (
    <BrowsePage
      account={account}
      page="payments"
      call="GET /accounts/:account/browse/payments"
      label={{ one: 'payment', many: 'payments' }}
      actions={<NewPayment account={account} />}
      search="ID, reference or customer"
      filters={[
        { name: 'status', label: 'Status', options: optionsOf(PAYMENT_STATUSES) },
        { name: 'method', label: 'Method', options: methods },
        { name: 'currency', label: 'Currency', options: currencies },
      ]}
      more={[
        {
          name: 'checkout_mode',
          label: 'Checkout mode',
          all: 'Any mode',
          options: optionsOf(CHECKOUT_MODES),
        },
        { name: 'receipt', label: 'Receipt', options: optionsOf(RECEIPT_STATUSES) },
        {
          name: 'cancelling',
          label: 'Cancellation',
          all: 'Any',
          options: [['true', 'Asked for, not answered']],
        },
        { name: 'failure_code', label: 'Failure code', placeholder: 'insufficient_funds' },
        { name: 'route', label: 'Route', options: routes },
        { name: 'rule', label: 'Rule', options: [] },
      ]}
      columns={COLUMNS}
      nameOf={nameOf}
      none={
        <Empty title="No payments yet">
          <p>Create one with the keys of this account. It will appear here at once.</p>
          <FirstPayment account={account} />
        </Empty>
      }
    />
  )
}
