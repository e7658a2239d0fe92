import type { ClockState, PaymentRecord } from '../../../client/control-client.ts'
import { FINAL_STATUSES } from '../../../client/wait.ts'
import { drawRecord, type Field, fieldOf, sections, timeField } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import type { View } from '../../output/view.ts'
import { paymentView } from '../../output/views/payment.ts'
import { inAccountTime } from './account-time.ts'
import { inlineYamlMembers } from './inline-yaml.ts'
import { idColumn, listView, memberColumn, moneyColumn, statusColumn, timeColumn } from './tables.ts'

export const paymentsView = listView<PaymentRecord>(
  'No payments.',
  [
    idColumn(),
    statusColumn('status', 'status'),
    moneyColumn(),
    memberColumn('method', 'payment_method', { give: 2 }),
    statusColumn('receipt', 'receipt.status', { give: 3, whole: true }),
    memberColumn('reference', 'merchant_reference', { give: 1 }),
    memberColumn('rule', 'rule', { give: 6 }),
    memberColumn('provider', 'route.provider', { give: 5 }),
    timeColumn('created', 'created_at', { give: 4 }),
  ],
  [
    ...[
      'id',
      'status',
      'amount',
      'currency',
      'country',
      'checkout_mode',
      'payment_method',
      'merchant_reference',
    ],
    ...['receipt.status', 'failure_code', 'failure_message', 'route.provider', 'route.id', 'rule'],
    ...['customer.name', 'customer.phone', 'customer.email', 'created_at', 'updated_at', 'expires_at'],
  ],
)

/** The merchant's view of a payment and the members that merchants do not see. */
export const fullPaymentView = (clock: ClockState | undefined): View<PaymentRecord> => ({
  ...paymentView,
  async human(payment, wallScreen) {
    const screen = clock ? inAccountTime(clock, wallScreen) : wallScreen
    return sections(
      await paymentView.human(withoutHidden(payment), screen),
      `${screen.paint.bold('hidden from the merchant')}\n${drawRecord(hiddenFields(payment, screen), screen)}`,
    )
  },
})

function withoutHidden(payment: PaymentRecord) {
  const { customer, payment_method_options, route, rule, instrument, receipt_image, ...more } = payment
  const { cancel_requested_at, cancelled, expires_at, moves, ...visibleToMerchant } = more
  return visibleToMerchant
}

function hiddenFields(payment: PaymentRecord, screen: Screen): Field[] {
  const { customer, payment_method_options: options, route, receipt_image: image } = payment
  const isOpen = !FINAL_STATUSES.includes(payment.status)
  return [
    fieldOf('customer', inlineYamlMembers(customer ?? {}) || undefined),
    fieldOf('options', inlineYamlMembers(options ?? {}) || undefined),
    fieldOf('route', route && `${route.id}, ${route.local_code} at ${route.provider}`),
    // Only an open payment can still be acted on, or expire.
    fieldOf('takes receipt', isOpen && route ? (route.takes_receipt ? 'yes' : 'no') : undefined),
    fieldOf('can be cancelled', isOpen && route ? (route.cancel_pending ? 'yes' : 'no') : undefined),
    fieldOf('rule', payment.rule ?? 'none'),
    fieldOf('image', image?.digest, {
      note: image ? submissions(image.submissions) : undefined,
      whole: true,
    }),
    fieldOf('asset', image?.asset_id),
    timeField('cancel requested', payment.cancel_requested_at, screen),
    fieldOf('cancelled', payment.cancelled ? 'yes' : undefined),
    timeField('expires', isOpen ? payment.expires_at : undefined, screen),
    fieldOf('moves', payment.moves?.map(({ trigger }) => trigger).join(', ') || undefined),
  ]
}

const submissions = (count: number) => (count === 1 ? 'submitted once' : `submitted ${count} times`)
