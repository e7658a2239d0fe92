import { clockFace } from '../../contract/time-left.ts'
import type { Reply } from '../http/reply.ts'
import { bankHeader, bankMain } from './bank-page.ts'
import { choice } from './choose.ts'
import { ending, endingOf } from './ending.ts'
import { type Html, html } from './html.ts'
import { type Sheet, sendPage } from './layout.ts'
import { liveState } from './live.ts'
import { money, spellMoney } from './money.ts'
import { cancelling, paySteps, processing } from './pay.ts'
import { generalProblem } from './problem.ts'
import { simulator } from './simulator.ts'
import { isOpen, methodShown, type View, waitsForPayer } from './view.ts'

/** Shows a payment once its state is safe on disk. */
export function showPayment(reply: Reply, status: number, view: View): Reply | Promise<Reply> {
  const { runtime, payment, words, path } = view
  const send = () => sendPage(reply, status, words, path, sheetOf(view))
  return runtime.account.journal.durable(payment.seq)?.then(send) ?? send()
}

function sheetOf(view: View): Sheet {
  const { kind, payment } = view
  const isBank = kind === 'bank'
  return {
    look: isBank ? 'bank' : 'checkout',
    title: titleOf(view),
    header: isBank ? bankHeader(view) : summary(view),
    main: html`${banner(view)}${isBank ? bankMain(view) : step(view)}`,
    aside: simulator(view),
    ...(isOpen(payment) ? { live: liveState(view) } : {}),
    waits: isOpen(payment) && !hasInput(view),
  }
}

function titleOf({ payment, words, runtime }: View): string {
  const merchant = runtime.merchantName()
  if (!isOpen(payment)) return `${words[endingOf(payment)]} · ${merchant}`
  if (!waitsForPayer(payment)) return `${words.summary} · ${merchant}`
  return `${words.payTo} ${spellMoney(payment, words)} · ${merchant}`
}

function step(view: View): Html {
  const { payment } = view
  if (!isOpen(payment)) return ending(view)
  if (payment.cancelRequestedAt !== null) return cancelling(view)
  if (!payment.action) return processing(view)
  return payment.route ? paySteps(view) : choice(view)
}

/** If the payment has ended, its status explains why a late action had no effect. */
function banner({ payment, problem, words }: View): Html | string {
  if (!isOpen(payment)) return ''
  const message = problem && generalProblem(problem, words)
  return message === undefined ? '' : html`<p class="banner" role="alert">${message}</p>`
}

/** Do not reload a page that the payer is using: the input, the chosen file or the bank's question would be lost. */
function hasInput({ kind, payment }: View): boolean {
  const { action, receipt, cancelRequestedAt, route } = payment
  if (!action) return false
  if (receipt?.status === 'required' || receipt?.status === 'rejected') return true
  return cancelRequestedAt === null && (kind === 'bank' || route === null)
}

/** The payee, the amount and the remaining time. */
function summary(view: View): Html {
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
