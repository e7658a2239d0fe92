import type { PaymentIntent } from '../../../client/resources.ts'
import { FINAL_STATUSES } from '../../../client/wait.ts'
import { memberAt, plain } from '../members.ts'
import { formatMoney } from '../money.ts'
import {
  drawRecord,
  drawRest,
  type Field,
  failureField,
  fieldOf,
  restFields,
  sections,
  timeField,
  titleOf,
} from '../record.ts'
import type { Screen } from '../screen.ts'
import { paintStatus } from '../status.ts'
import type { View } from '../view.ts'
import { drawAny } from './any.ts'
import { drawNextAction } from './next-action.ts'

export const paymentView: View<PaymentIntent> = {
  human: drawPayment,
  mayLack: [
    ...['processing_reason', 'receipt', 'failure_code', 'failure_message', 'return_url'],
    // Which of these a next action has depends on its type.
    ...['url', 'expires_at', 'bank', 'account', 'reference'],
    ...['qr_data', 'qr_image_url', 'qr_image_data_url'],
  ],
}

const KNOWN = [
  ...['id', 'object', 'amount', 'currency', 'country', 'checkout_mode', 'environment', 'merchant_reference'],
  ...['payment_method', 'status', 'processing_reason', 'next_action', 'receipt', 'failure_code'],
  ...['failure_message', 'created_at', 'updated_at', 'return_url'],
]

/** A payment whose cancellation was requested, without the next action: the payer must not pay any more. */
export const cancellationView: View<PaymentIntent> = {
  ...paymentView,
  human: (payment, screen) =>
    drawPayment({ ...payment, next_action: null }, screen, [cancellationField(payment)]),
}

function cancellationField({ status, failure_code }: PaymentIntent): Field {
  if (!FINAL_STATUSES.includes(status))
    return fieldOf(
      'cancellation',
      `requested: the payment stays ${plain(status)} until the provider confirms or refuses it`,
    )
  return fieldOf('cancellation', failure_code === 'payment_cancelled' ? 'confirmed' : undefined)
}

async function drawPayment(payment: unknown, screen: Screen, first: readonly Field[] = []): Promise<string> {
  if (memberAt(payment, 'id') === undefined) return drawAny(payment, screen)
  const member = (name: string) => memberAt(payment, name)
  const fields: Field[] = [
    ...first,
    { label: 'amount', value: formatMoney(member('amount'), member('currency')) },
    fieldOf('method', member('payment_method') ?? 'not chosen yet'),
    fieldOf('checkout', member('checkout_mode')),
    fieldOf('reference', member('merchant_reference')),
    fieldOf('country', member('country')),
    fieldOf('environment', member('environment')),
    fieldOf('processing', member('processing_reason')),
    receiptField(payment, screen),
    failureField('rejected for', member('receipt'), screen),
    failureField('failure', payment, screen),
    fieldOf('return URL', member('return_url'), { whole: true }),
    timeField('created', member('created_at'), screen),
    timeField('updated', member('updated_at'), screen),
    ...restFields(member('receipt'), ['status', 'failure_code', 'failure_message'], 'receipt.'),
  ]
  return sections(
    `${titleOf(payment, screen)}\n${drawRecord(fields, screen)}`,
    await drawNextAction(payment, screen),
    drawRest(payment, KNOWN, screen),
  )
}

function receiptField(payment: unknown, { paint }: Screen): Field {
  const receipt = memberAt(payment, 'receipt')
  const status = memberAt(receipt, 'status') ?? receipt
  return fieldOf('receipt', status, {
    paint: shown => paintStatus(status, paint, shown),
    // Only a pending payment accepts a receipt.
    note: memberAt(payment, 'status') === 'pending' ? NEXT_STEPS.get(plain(status)) : undefined,
  })
}

/** How to submit a receipt. */
const NEXT_STEPS: ReadonlyMap<string, string> = new Map([
  ['required', 'send it with `paysim payments submit-receipt`'],
  ['rejected', 'send another with `paysim payments submit-receipt`'],
])
