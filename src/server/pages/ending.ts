import type { Payment } from '../../domain/model.ts'
import { type Html, hrefOf, html } from './html.ts'
import { type Icon, icon } from './icons.ts'
import type { View } from './view.ts'
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

/** The way back is a plain link to the address as the merchant gave it: it says nothing of how the payment ended. */
export function ending({ payment, words }: View): Html {
  const end = endingOf(payment)
  const back =
    payment.returnUrl === null
      ? ''
      : html`<a class="primary" href="${hrefOf(payment.returnUrl)}">${words.backToShop}</a>`
  return endingCard(end, words[end], why(end, payment, words), back)
}

export function endingCard(end: Ending, title: string, because: Html, back: Html | string): Html {
  const mark = MARKS[end]
  return html`<section class="card ending"><span class="mark ${mark.tone} arrived">${icon(mark.icon)}</span>
<h1>${title}</h1>${because}${back}</section>`
}

function why(end: Ending, { failure, returnUrl }: Payment, words: Words): Html {
  switch (end) {
    case 'succeeded':
      return html`<p class="lead">${returnUrl === null ? words.succeededAlone : words.succeededWhy}</p>`
    case 'failed': {
      // The provider's own words, where it had any.
      const own = failure && failure.message !== 'The payment failed' ? html`<p>${failure.message}</p>` : ''
      return html`${own}<p class="lead">${words.failedHint}</p>`
    }
    default:
      return html`<p class="lead">${words[`${end}Why`]}</p>`
  }
}
