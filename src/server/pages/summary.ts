import { clockFace } from '../../contract/time-left.ts'
import { type Html, html } from './html.ts'
import { money } from './money.ts'
import { methodShown, type View, waitsForPayer } from './view.ts'

/** The payee, the amount and the remaining time. */
export function summary(view: View): Html {
  const { runtime, payment, words } = view
  const facts: [string, string | null | undefined][] = [
    [words.order, payment.merchantReference],
    [words.method, methodShown(view)],
  ]
  const rows = facts.map(([name, value]) => (value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : ''))
  return html`<section class="summary" aria-label="${words.summary}">
<p class="payee"><span class="initial" aria-hidden="true">${initialOf(runtime.merchantName())}</span>
<span><span class="quiet">${waitsForPayer(payment) ? words.payTo : words.paymentTo}</span> <strong>${runtime.merchantName()}</strong></span></p>
<p class="sum">${money(payment, words)}</p>
<dl class="facts">${rows}${countdown(view)}</dl>
</section>`
}

const initialOf = (name: string) => [...name.trim()][0]?.toUpperCase() ?? '·'

function countdown({ runtime, payment, words }: View): Html {
  if (!payment.action || !waitsForPayer(payment)) return html``
  const { expiresAt } = payment.action
  const left = clockFace(expiresAt - runtime.account.now)
  return html`<div class="left"><dt>${words.timeLeft}</dt><dd><time data-until="${expiresAt}" data-as="clock">${left}</time></dd></div>`
}
