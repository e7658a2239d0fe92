import type { Payment } from '../../domain/model.ts'
import { type Html, html } from './html.ts'
import { type Icon, icon } from './icons.ts'
import type { View } from './view.ts'
import { wayBack } from './way-back.ts'
import type { Words } from './words/language.ts'

type Ending = 'succeeded' | 'failed' | 'expired' | 'cancelled'

const MARKS: Record<Ending, { readonly icon: Icon; readonly tone: string }> = {
  succeeded: { icon: 'check', tone: 'good' },
  failed: { icon: 'cross', tone: 'bad' },
  expired: { icon: 'clock', tone: 'neutral' },
  cancelled: { icon: 'stop', tone: 'neutral' },
}

export const endingOf = ({ cancelled, outcome }: Payment): Ending =>
  cancelled ? 'cancelled' : (outcome ?? 'failed')

export function ending({ payment, words }: View): Html {
  const end = endingOf(payment)
  return endingCard(end, words[end], why(end, payment, words), wayBack(payment, words, 'primary'))
}

export function endingCard(end: Ending, title: string, because: Html, back: Html | string): Html {
  const mark = MARKS[end]
  return html`<section class="card ending"><span class="mark ${mark.tone} arrived">${icon(mark.icon)}</span>
<h1>${title}</h1>${because}${back}</section>`
}

function why(end: Ending, payment: Payment, words: Words): Html {
  const { failure, returnUrl } = payment
  switch (end) {
    case 'succeeded':
      return html`<p class="lead">${returnUrl === null ? words.succeededAlone : words.succeededWhy}</p>`
    case 'failed': {
      // The provider's message, if there is one.
      const own = failure && failure.message !== 'The payment failed' ? html`<p>${failure.message}</p>` : ''
      return html`${own}<p class="lead">${moneyHint(payment, words)}</p>`
    }
    default:
      return html`<p class="lead">${words[`${end}Why`]} ${moneyHint(payment, words)}</p>`
  }
}

/** What to say about the payer's money if the payment did not succeed, so that nobody pays twice. */
export function moneyHint({ receipt, instrument, outcome }: Payment, words: Words): string {
  if (receipt !== null && receipt.submissions > 0) return words.receiptSentHint
  // The gateway does not notice when the payer scans a code or makes a transfer, but a bank reports at once.
  const mayBePaid = instrument !== null && (outcome === null || instrument.type !== 'redirect_to_url')
  return mayBePaid ? words.mayBePaidHint : words.notPaidHint
}
