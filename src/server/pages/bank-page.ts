import type { Payment } from '../../domain/model.ts'
import { endingCard, endingOf } from './ending.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { money } from './money.ts'
import { cancelling, processing } from './pay.ts'
import { receiptPanel } from './receipt-panel.ts'
import { bankShown, form, type View } from './view.ts'

/** The page of the payer's bank, which looks like another site with the bank's name at the top. */
export function bankHeader(view: View): Html {
  const { words } = view
  return html`<div class="bank-name"><span class="badge">${icon('bank')}</span><strong>${bankShown(view).name}</strong></div>
<p class="secure">${icon('lock')}${words.bankOnline}</p>`
}

/** The payer's decisions at the bank, each with a button. */
export const BANK_DECISIONS = ['succeed', 'fail'] as const

/** Whether there is a payment to approve. */
export const bankAsks = ({ outcome, cancelRequestedAt, action }: Payment): boolean =>
  outcome === null && cancelRequestedAt === null && action !== null

export function bankMain(view: View): Html {
  const { payment, words, runtime, pathTo, expiresAt } = view
  if (payment.outcome !== null) return decided(view)
  if (payment.cancelRequestedAt !== null) return cancelling(view)
  if (!bankAsks(payment)) return processing(view)
  const facts: [string, Html | string | null][] = [
    [words.payee, runtime.merchantName()],
    [words.amount, money(payment, words)],
    [words.order, payment.merchantReference],
  ]
  const rows = facts.map(([name, value]) =>
    value === null ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )
  const back =
    payment.checkoutMode === 'hosted'
      ? html`<a class="secondary" href="${pathTo('checkout', expiresAt)}">${words.bankBack}</a>`
      : ''
  return html`<section class="card approval"><h1>${words.bankTitle}</h1><p class="lead">${words.bankAsks}</p>
<dl class="account">${rows}</dl>
<div class="decision">${decision(view, 'succeed', words.approve, 'primary')}
${decision(view, 'fail', words.decline, 'secondary')}</div>${back}</section>${receiptPanel(view)}`
}

const decision = (view: View, act: (typeof BANK_DECISIONS)[number], label: string, look: string) =>
  form(view, act, html`<button class="${look}" data-busy="${view.words.sending}">${label}</button>`)

/** The bank shows only what it did; the shop shows how the payment ended. */
function decided({ payment, words, pathTo, expiresAt }: View): Html {
  const end = endingOf(payment)
  const title = end === 'succeeded' ? words.bankApproved : words.bankDeclined
  if (payment.checkoutMode === 'merchant')
    return endingCard(end, title, html`<p class="lead">${words.bankClose}</p>`, '')
  const back = html`<a class="primary" href="${pathTo('checkout', expiresAt)}">${words.bankContinue}</a>`
  return endingCard(end, title, html``, back)
}
