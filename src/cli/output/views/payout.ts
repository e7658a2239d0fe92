import type { PayoutIntent } from '../../../client/resources.ts'
import { formatMoney } from '../money.ts'
import { memberAt, plain } from '../plain.ts'
import { drawRecord, type Field } from '../record.ts'
import type { Screen } from '../screen.ts'
import type { View } from '../view.ts'
import { drawAny } from './any.ts'
import { drawRest, failureField, fieldOf, restFields, sections, timeField, titleOf } from './fields.ts'

export const payoutView: View<PayoutIntent> = {
  human: drawPayout,
  mayLack: ['failure_code', 'failure_message', 'cancel_reason'],
}

const KNOWN = [
  ...['id', 'object', 'amount', 'currency', 'country', 'environment', 'merchant_reference', 'status'],
  ...['recipient', 'failure_code', 'failure_message', 'cancel_reason', 'created_at', 'updated_at'],
]

function drawPayout(payout: unknown, screen: Screen): string {
  if (memberAt(payout, 'id') === undefined) return drawAny(payout, screen)
  const member = (...names: string[]) => memberAt(payout, ...names)
  const recipient = member('recipient')
  const fields: Field[] = [
    { label: 'amount', value: formatMoney(member('amount'), member('currency')) },
    fieldOf('recipient', memberAt(recipient, 'holder_name') ?? recipient),
    fieldOf('account', accountOf(payout)),
    fieldOf('reference', member('merchant_reference')),
    fieldOf('country', member('country')),
    fieldOf('environment', member('environment')),
    fieldOf('cancelled for', member('cancel_reason')),
    failureField('failure', payout, screen),
    timeField('created', member('created_at'), screen),
    timeField('updated', member('updated_at'), screen),
    ...restFields(recipient, ['type', 'bank_code', 'holder_name', 'account_last4'], 'recipient.'),
  ]
  return sections(
    `${titleOf(payout, screen)}\n${drawRecord(fields, screen)}`,
    drawRest(payout, KNOWN, screen),
  )
}

/** `bbl *1234`: the bank and what is told of the account. */
export function accountOf(payout: unknown): string {
  const last4 = plain(memberAt(payout, 'recipient', 'account_last4'))
  return `${plain(memberAt(payout, 'recipient', 'bank_code'))} ${last4 && `*${last4}`}`.trim()
}
