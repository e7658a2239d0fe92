import { spellTime } from '../../contract/durations.ts'
import type { PaymentTrigger } from '../../contract/statuses.ts'
import { possibleMoves } from '../../domain/decide/move-payment.ts'
import { allows, RECEIPT_MOVES } from '../../domain/lifecycle.ts'
import type { Payment } from '../../domain/model.ts'
import { verdictFor } from '../../domain/script.ts'
import { PAYMENT_TIMERS, type PaymentTimer, paymentTimer, type Timer } from '../../domain/timers.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { type Html, html } from './layout.ts'
import { BANK_DECISIONS, bankAsks } from './pay.ts'
import { isOpen, type View } from './view.ts'
import type { Words } from './words/language.ts'

/** The simulator's bar: it shows what will decide the payment and when, and has buttons to decide it. */
export function simulator(view: View): Html {
  const { payment, words, runtime } = view
  const inDashboard = `/?payment=${runtime.account.id}/${payment.sortKey.id}`
  const link = html`<a href="${inDashboard}">${words.inDashboard}</a>`
  if (!isOpen(payment))
    return html`<aside class="simulator" aria-label="${words.simulator}"><div class="inner">
<div class="outlook"><strong>${words.simulator}</strong><p>${link}</p></div></div></aside>`
  const buttons = possibleActs(view).map(
    act =>
      html`<button class="small" name="act" value="${act}">${words.acts[wordFor(act, payment)]}</button>`,
  )
  return html`<aside class="simulator" aria-label="${words.simulator}"><div class="inner">
<div class="outlook"><strong>${words.simulator}</strong>${outlook(view).map(line => html`<p>${line}</p>`)}<p>${link}</p></div>
<form method="post" action="${view.path}" data-form>${buttons}${jump(view)}</form>
</div></aside>`
}

/** The operator's triggers. The payer's own actions are elsewhere on the page. */
export type SimulatorAct = Exclude<PaymentTrigger, 'present-action' | 'withdraw-action'>

/** In the order of the buttons. */
const BUTTONS: { readonly [A in SimulatorAct]: true } = {
  succeed: true,
  fail: true,
  expire: true,
  'accept-receipt': true,
  'reject-receipt': true,
  'confirm-cancel': true,
}
const ACTS = Object.keys(BUTTONS) as SimulatorAct[]

export const isSimulatorAct = (act: string | undefined): act is SimulatorAct =>
  act !== undefined && Object.hasOwn(BUTTONS, act)

/** The triggers that are possible now. A bank's page has its own buttons for the payer's decisions. */
function possibleActs({ payment, kind }: View): SimulatorAct[] {
  const onPage: readonly SimulatorAct[] = kind === 'bank' && bankAsks(payment) ? BANK_DECISIONS : []
  const possible = possibleMoves(payment)
  return ACTS.filter(act => !onPage.includes(act) && possible.includes(act))
}

const wordFor = (act: SimulatorAct, { route }: Payment) =>
  act === 'fail' && route === null ? 'fail-without-method' : act

/** What will happen by itself, according to the payment's own copy of its rule. */
function outlook(view: View): (Html | string)[] {
  const { runtime, payment, words } = view
  const rule = payment.script.rule
  const who = rule === null ? words.noRule : words.rule(rule)
  const lines: (Html | string)[] = []
  const decisive = nextTimer(runtime, payment, kind => WEIGHT[kind] === 'decides')
  const last = nextTimer(runtime, payment, kind => WEIGHT[kind] === 'closes')
  if (!payment.route) lines.push(payment.action ? words.simulatorChoose : words.simulatorClosed)
  else if (decisive) lines.push(comesIn(decisive, who, view))
  else lines.push(nextVerdict(payment, who, words) ?? words.simulatorManual(who))
  if (last && !decisive) lines.push(comesIn(last, who, view))
  return lines
}

/** Whether a timer decides the payment or only closes it. The page shows the next one of each kind. */
const WEIGHT: { readonly [T in PaymentTimer]: 'decides' | 'closes' } = {
  receipt: 'decides',
  cancel: 'decides',
  outcome: 'decides',
  'present-action': 'decides',
  'withdraw-action': 'closes',
  expire: 'closes',
}

/** The first of these timers whose trigger is possible. A check or a cancellation prevents the expiry of an action. */
function nextTimer(
  { account }: AccountRuntime,
  payment: Payment,
  isMeant: (kind: PaymentTimer) => boolean,
): Timer | undefined {
  const possible = possibleMoves(payment)
  return PAYMENT_TIMERS.filter(isMeant)
    .flatMap(kind => account.world.timers.get(paymentTimer(payment.sortKey.id, kind)) ?? [])
    .filter(({ command }) => command.type === 'MovePayment' && possible.includes(command.trigger))
    .sort((a, b) => a.dueAt - b.dueAt)
    .at(0)
}

/** The next change of this payment that happens by itself, which is how far to move a virtual clock. */
export const nextDue = (runtime: AccountRuntime, payment: Payment): number | undefined =>
  nextTimer(runtime, payment, () => true)?.dueAt

function comesIn(timer: Timer, who: string, { runtime, words }: View): Html {
  const what = words.timers[wordingOf(timer)](who)
  const left = spellTime(timer.dueAt - runtime.account.now, words.locale)
  return html`${what} <time data-until="${timer.dueAt}" data-as="words">${left}</time>`
}

function wordingOf({ id, command }: Timer): keyof Words['timers'] {
  // The expiry of the whole intent is not a decision.
  if (id.endsWith(':expire')) return 'expiry'
  return command.type === 'MovePayment' ? (command.trigger satisfies PaymentTrigger) : 'expiry'
}

function nextVerdict({ receipt, script }: Payment, who: string, words: Words): string | undefined {
  if (!receipt || !allows(RECEIPT_MOVES.submit, receipt.status)) return undefined
  const next = verdictFor(script, receipt.submissions + 1)
  return next && words.onReceipt[next.verdict](who, spellTime(next.afterMs, words.locale))
}

/** A virtual clock has to be advanced. */
function jump({ runtime, payment, words }: View): Html {
  const due = nextDue(runtime, payment)
  if (runtime.account.clock.mode !== 'virtual' || due === undefined) return html``
  const time = spellTime(due - runtime.account.now, words.locale)
  return html`<button class="small" name="act" value="jump">${words.jump(time)}</button><span class="quiet">${words.clockStands}</span>`
}
