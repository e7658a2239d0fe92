import type { ClockState, PaymentRecord } from '../../../../client/control-client.ts'
import { FINAL_STATUSES } from '../../../../client/wait.ts'
import { drawRecord, type Field, fieldOf, sections, timeField } from '../../../output/record.ts'
import type { Screen } from '../../../output/screen.ts'
import type { View } from '../../../output/view.ts'
import { paymentView } from '../../../output/views/payment.ts'
import { inTimeOf } from './clock.ts'
import { inlineMembers } from './inline-members.ts'

/** The merchant's view of a payment, and what is behind it; by the clock of its account, where that is known. */
export const fullPaymentView = (clock: ClockState | undefined): View<PaymentRecord> => ({
  ...paymentView,
  async human(payment, wallScreen) {
    const screen = clock ? inTimeOf(clock, wallScreen) : wallScreen
    return sections(
      await paymentView.human(asMerchantsSee(payment), screen),
      `${screen.paint.bold('behind it')}\n${drawRecord(fieldsBehind(payment, screen), screen)}`,
    )
  },
})

function asMerchantsSee(payment: PaymentRecord) {
  const { customer, payment_method_options, route, rule, instrument, receipt_image, ...more } = payment
  const { cancel_requested_at, cancelled, expires_at, moves, ...shown } = more
  return shown
}

function fieldsBehind(payment: PaymentRecord, screen: Screen): Field[] {
  const { customer, payment_method_options: options, route, receipt_image: image } = payment
  const isOpen = !FINAL_STATUSES.includes(payment.status)
  return [
    fieldOf('customer', inlineMembers(customer ?? {}) || undefined),
    fieldOf('options', inlineMembers(options ?? {}) || undefined),
    fieldOf('route', route && `${route.id}, ${route.local_code} at ${route.provider}`),
    // What can still be done, or will happen, is no matter of one that has ended.
    fieldOf('takes receipt', isOpen && route ? (route.takes_receipt ? 'yes' : 'no') : undefined),
    fieldOf('can be cancelled', isOpen && route ? (route.cancel_pending ? 'yes' : 'no') : undefined),
    fieldOf('rule', payment.rule ?? 'none'),
    fieldOf('image', image?.digest, {
      note: image ? submissions(image.submissions) : undefined,
      whole: true,
    }),
    fieldOf('asset', image?.asset_id),
    timeField('cancel asked for', payment.cancel_requested_at, screen),
    fieldOf('cancelled', payment.cancelled ? 'yes' : undefined),
    timeField('expires', isOpen ? payment.expires_at : undefined, screen),
    fieldOf('moves', payment.moves?.map(({ trigger }) => trigger).join(', ') || undefined),
  ]
}

const submissions = (count: number) => (count === 1 ? 'sent once' : `sent ${count} times`)
