import type { ClockState, PaymentRecord } from '../../../../client/control-client.ts'
import { plain } from '../../../output/plain.ts'
import { drawRecord, type Field } from '../../../output/record.ts'
import type { Screen } from '../../../output/screen.ts'
import type { View } from '../../../output/view.ts'
import { fieldOf, restFields, sections, timeField } from '../../../output/views/fields.ts'
import { paymentView } from '../../../output/views/payment.ts'
import { inTimeOf } from './clock.ts'
import { told } from './told.ts'

/** What the merchant API hides of a payment. */
const BEHIND = [
  ...['customer', 'payment_method_options', 'route', 'rule', 'instrument', 'receipt_image'],
  ...['cancel_requested_at', 'cancelled', 'expires_at', 'moves'],
] as const

/** The merchant's view of a payment, and what is behind it; by the clock of its account, where that is known. */
export const fullPaymentView = (clock: ClockState | undefined): View<PaymentRecord> => ({
  ...paymentView,
  async human(payment, wallScreen) {
    const screen = clock ? inTimeOf(clock, wallScreen) : wallScreen
    const shown = Object.entries(payment).filter(([name]) => !BEHIND.some(hidden => hidden === name))
    return sections(
      await paymentView.human(Object.fromEntries(shown) as unknown as PaymentRecord, screen),
      `${screen.paint.bold('behind it')}\n${drawRecord(fieldsBehind(payment, screen), screen)}`,
    )
  },
})

function fieldsBehind(payment: PaymentRecord, screen: Screen): Field[] {
  const { customer, payment_method_options: options, route, receipt_image: image } = payment
  return [
    fieldOf('customer', told(customer ?? {}) || undefined),
    fieldOf('options', told(options ?? {}) || undefined),
    fieldOf('route', route && `${route.id}, ${route.local_code} at ${route.provider}`),
    fieldOf('takes receipt', route && (route.takes_receipt ? 'yes' : 'no')),
    fieldOf('can be cancelled', route && (route.cancel_pending ? 'yes' : 'no')),
    fieldOf('rule', payment.rule ?? 'none'),
    fieldOf('image', image?.digest, {
      note: image ? submissions(image.submissions) : undefined,
      whole: true,
    }),
    fieldOf('asset', image?.asset_id),
    timeField('cancel asked for', payment.cancel_requested_at, screen),
    fieldOf('cancelled', payment.cancelled ? 'yes' : undefined),
    timeField('expires', payment.expires_at, screen),
    ...restFields({ can: movesOf(payment) }, []),
  ].filter(({ value }) => value !== '')
}

const submissions = (count: number) => (count === 1 ? 'sent once' : `sent ${count} times`)

/** The triggers that its state allows now, where the server says so. */
function movesOf(payment: PaymentRecord): string {
  const moves: unknown = 'moves' in payment ? payment.moves : undefined
  return Array.isArray(moves) ? moves.map(plain).join(', ') : ''
}
