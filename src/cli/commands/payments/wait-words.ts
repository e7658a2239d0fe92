import type { NextAction, PaymentIntent } from '../../../client/index.ts'
import { memberAt, plain } from '../../output/plain.ts'

import { visible } from '../../output/visible.ts'
import { CANCELLED } from '../../statuses.ts'

/** Puts each news of a payment on one line: `pending, receipt required: the payer transfers to …`. */
export function newsTeller(): (payment: PaymentIntent) => string | undefined {
  let toldAction = ''
  let lastLine = ''
  return payment => {
    const action = payment.next_action ? whatThePayerDoes(payment.next_action) : ''
    // What the payer is to do is said once, however the rest goes on.
    const news = visible(`${standOf(payment)}${action === '' || action === toldAction ? '' : `: ${action}`}`)
    toldAction = action
    if (news === lastLine) return undefined
    lastLine = news
    return news
  }
}

function standOf(payment: PaymentIntent): string {
  const receipt = plain(memberAt(payment, 'receipt', 'status'))
  const rejection = plain(memberAt(payment, 'receipt', 'failure_message'))
  return [
    `${payment.status}${reasonOf(payment)}`,
    ...(receipt === '' ? [] : [`receipt ${receipt}${rejection === '' ? '' : ` (${rejection})`}`]),
  ].join(', ')
}

function whatThePayerDoes(action: NextAction): string {
  switch (action.type) {
    case 'redirect_to_url':
      return `the payer opens ${action.url}`
    case 'display_qr_code':
      return 'the payer scans the QR code'
    case 'display_bank_transfer_instructions': {
      const { bank, account, reference } = action
      const to = [bank?.label, account?.number].filter(Boolean).join(' ')
      return `the payer transfers${to === '' ? '' : ` to ${to}`}${reference ? `, reference ${reference}` : ''}`
    }
    default:
      return action.type
  }
}

function reasonOf({ failure_code, failure_message }: PaymentIntent): string {
  const reason = [failure_code, failure_message].filter(Boolean).join(': ')
  return reason === '' ? '' : ` (${reason})`
}

/** How it ended, where that is another way than wanted, or another word than was asked for. */
export function sayHowItEnded(payment: PaymentIntent, wanted: readonly string[], reached: boolean): void {
  const end = visible(`${payment.id} ended as ${payment.status}${reasonOf(payment)}`)
  const isExpired = payment.status === 'expired' && wanted.includes(CANCELLED)
  if (!reached) {
    const hint = isExpired
      ? '. Some servers end a cancelled payment so: where yours does, --contract says it (payment.after_cancel: expired)'
      : ''
    process.stderr.write(`paysim: ${end}, and not as ${wanted.join(' or ')}${hint}\n`)
  } else if (!wanted.includes(payment.status)) {
    const how = isExpired
      ? ', as a cancelled payment does by the contract of this server'
      : ': it was cancelled'
    process.stderr.write(`paysim: ${end}${how}\n`)
  }
}
