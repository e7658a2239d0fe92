import { timeLeft } from '../../contract/durations.ts'
import { renderError } from '../../contract/errors.ts'
import type { Payment } from '../../domain/model.ts'
import type { PageKind } from '../../engine/account/rendering.ts'
import type { Gateway } from '../../engine/gateway.ts'
import { carryOut, demandAvailable } from '../carry-out.ts'
import type { EventStreams } from '../http/event-stream.ts'
import type { Exchange } from '../http/exchange.ts'
import { isMultipart, readBody } from '../http/read-body.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { choose, sendReceipt, unreadable } from '../payer.ts'
import { type Form, readForm } from '../read-image.ts'
import { RefusalError, refuse, refuseProblems } from '../refusal.ts'
import { choice } from './choose.ts'
import { type Html, html, type Live, type Sheet, sendPage } from './layout.ts'
import { bankHeader, bankMain, cancelling, ending, endingOf, paySteps, processing } from './pay.ts'
import { isSimulatorAct, nextDue, type SimulatorAct, simulator } from './simulator.ts'
import {
  generalProblem,
  isOpen,
  methodShown,
  money,
  noticePage,
  type Opened,
  open,
  type Problem,
  spellMoney,
  type View,
  waitsForPayer,
} from './view.ts'

/** The page of an expired link still follows the payment, which may still succeed. */
function openPage(kind: PageKind, request: Request, reply: Reply): Opened | Reply {
  const opened = open(kind, request, reply)
  if (!('payment' in opened) || !opened.isOver(opened.payment)) return opened
  const { words, path, payment } = opened
  return noticePage(reply, 410, words, path, 'ended', { payment, live: liveState(opened) })
}

export function show(kind: PageKind, request: Request, reply: Reply) {
  const opened = openPage(kind, request, reply)
  return 'payment' in opened ? showPayment(reply, 200, opened) : opened
}

export function showQr(request: Request, reply: Reply) {
  const opened = openPage('qr', request, reply)
  if (!('payment' in opened)) return opened
  const { instrument } = opened.payment
  if (instrument?.type !== 'display_qr_code')
    return noticePage(reply, 404, opened.words, opened.path, 'unknown')
  return reply.header('content-type', 'image/png').send(opened.runtime.rendering.qrImage(instrument.qrData))
}

/**
 * Handles a form. If it is accepted, the browser is redirected to the page, so that a reload sends nothing twice.
 */
export async function receive(
  { contract }: Pick<Gateway, 'contract'>,
  kind: PageKind,
  request: Request,
  reply: Reply,
): Promise<Reply> {
  const form = await readFields(request.exchange).catch(unreadable)
  const opened = openPage(kind, request, reply)
  if (!('payment' in opened)) return opened
  try {
    if (form instanceof RefusalError) throw form
    await act(opened, form)
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    // A form that was sent twice, or from two pages, is not an error.
    if (!(form instanceof RefusalError) && isAlreadyDone(asItStands(opened).payment, form))
      return redirectToNext(reply, asItStands(opened))
    const { status } = renderError(contract, error.rejection, request.requestId)
    const fields: Form['fields'] = form instanceof RefusalError ? new Map() : form.fields
    return showPayment(reply, status, { ...asItStands(opened), problem: { refusal: error, fields } })
  }
  return redirectToNext(reply, asItStands(opened))
}

const redirectToNext = (reply: Reply, opened: Opened) =>
  reply.code(303).header('location', nextLocation(opened)).send()

const asItStands = (opened: Opened): Opened & { problem?: Problem } => ({
  ...opened,
  payment: opened.runtime.account.world.payments.get(opened.payment.sortKey.id) ?? opened.payment,
})

/** After a decision, the bank sends its customer back. */
function nextLocation({ kind, payment, path, pathTo, expiresAt }: Opened): string {
  const isBack = kind === 'bank' && payment.checkoutMode === 'hosted' && payment.outcome !== null
  return isBack ? pathTo('checkout', expiresAt) : path
}

/** The fields of a submitted form, in either of the encodings of browsers. */
async function readFields(exchange: Exchange): Promise<Form> {
  if (isMultipart(exchange.headers['content-type'])) return readForm(exchange)
  const text = (await readBody(exchange)).toString()
  return { files: [], fields: new Map(new URLSearchParams(text)) }
}

/** The actions of the payer on a page, and those of the simulator's bar. */
async function act(opened: Opened, form: Form): Promise<void> {
  const { runtime, payment } = opened
  const id = payment.sortKey.id
  const name = form.fields.get('act')
  switch (name) {
    case 'choose':
      return choose(runtime, id, field => form.fields.get(field))
    case 'receipt':
      return sendReceipt(runtime, id, form)
    case 'jump':
      return advanceToNextChange(opened)
    default:
      if (!isSimulatorAct(name))
        throw refuseProblems([{ field: 'act', message: 'is not an action of this page' }])
      await carryOut(runtime, { type: 'MovePayment', payment: id, trigger: name }, 'payer')
  }
}

/** Whether the requested change has already happened. */
function isAlreadyDone(payment: Payment, { fields }: Form): boolean {
  const act = fields.get('act')
  return isSimulatorAct(act) && IS_DONE[act](payment)
}

const IS_DONE: { readonly [A in SimulatorAct]: (payment: Payment) => boolean } = {
  succeed: ({ outcome }) => outcome === 'succeeded',
  fail: ({ outcome, cancelled }) => outcome === 'failed' && !cancelled,
  expire: ({ outcome, cancelled }) => outcome === 'expired' && !cancelled,
  'confirm-cancel': ({ cancelled }) => cancelled,
  'accept-receipt': ({ receipt }) => receipt?.status === 'submitted',
  'reject-receipt': ({ receipt }) => receipt?.status === 'rejected',
}

/** Advances to the next change of this payment, and does everything that is due before it. */
async function advanceToNextChange({ runtime, payment }: Opened): Promise<void> {
  await demandAvailable(runtime)
  const due = nextDue(runtime, payment)
  if (due === undefined) throw refuse('invalid_state', 'No timer of this payment is pending')
  const result = await runtime.time.advance(() => ({ until: due, limit: due }))
  if ('refused' in result) throw new RefusalError(result.refused)
}

/** Shows a payment once its state is safe on disk. */
function showPayment(reply: Reply, status: number, view: View): Reply | Promise<Reply> {
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
  const left = timeLeft(expiresAt - runtime.account.now, words.locale)
  return html`<div class="left"><dt>${words.timeLeft}</dt><dd><time data-until="${expiresAt}" data-as="clock">${left}</time></dd></div>`
}

export interface LiveSettings {
  readonly gateway: Gateway
  readonly streams: EventStreams
}

/** Tells the browser that the page has changed, but not how. */
function liveState({ runtime: { account }, payment, livePath, isOver }: Opened): Live {
  const { clock, now } = account
  return {
    url: livePath,
    shown: account.sign(`shown/${payment.sortKey.id}/${payment.seq}/${isOver(payment)}`),
    now,
    rate: clock.mode === 'virtual' ? 0 : clock.rate,
  }
}

/**
 * Sends the current version at once and at each change. A browser that lost the connection reconnects automatically.
 */
export function follow(
  { streams }: Pick<LiveSettings, 'streams'>,
  kind: PageKind,
  request: Request,
  reply: Reply,
): Reply {
  const opened = open(kind, request, reply)
  if (!('payment' in opened)) return opened
  const { account } = opened.runtime
  const stream = streams.begin(request, reply, {
    headers: { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' },
  })

  let lastAnnounced = ''
  let isAboutTo = false
  const tell = async () => {
    if (isAboutTo) return
    isAboutTo = true
    // A page shows only entries that are safe on disk, so notify the browser only then.
    await account.settled().finally(() => {
      isAboutTo = false
    })
    const payment = account.world.payments.get(opened.payment.sortKey.id)
    // The browser reloads the page, which then explains that the link has expired.
    if (!payment) return stream.end()
    const { shown, now, rate } = liveState({ ...opened, payment })
    // While time runs, the browser can compute it.
    const news = JSON.stringify(rate === 0 ? { shown, now, rate } : { shown, rate })
    if (news === lastAnnounced) return
    lastAnnounced = news
    stream.send(`data: ${JSON.stringify({ shown, now, rate })}\n\n`)
  }
  stream.send(`retry: ${RETRY_MS}\n\n`)
  // If it cannot be sent now, the browser gets it when it reconnects.
  const say = () => void tell().catch(() => stream.end())
  say()
  const listening = [
    account.onEntry(say),
    account.onReplaced(say),
    account.clock.onJump(() => {
      // The browser's computed time is no longer right.
      lastAnnounced = ''
      say()
    }),
  ]
  stream.onOver(() => {
    for (const stop of listening) stop()
  })
  return reply
}

const RETRY_MS = 1000
