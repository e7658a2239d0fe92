import { formatMinor } from '../../contract/currencies.ts'
import { LIMITS, RECEIPT_TYPES } from '../../contract/limits.ts'
import type { Instrument } from '../../domain/instrument/index.ts'
import type { Payment } from '../../domain/model.ts'
import { backToShop, type Html, html, type Icon, icon } from './layout.ts'
import { bankShown, form, hasSentReceipt, money, receiptProblem, spellMoney, type View } from './view.ts'
import { bankName, type Words } from './words/language.ts'

/** What the payer does after choosing a method. */
export function paySteps(view: View): Html {
  const { payment, words } = view
  const { action, instrument, receipt } = payment
  if (!action || !instrument) return processing(view)
  if (hasSentReceipt(payment))
    return html`${receiptPanel(view)}${transferred(view, instrument)}${backToShop(payment, words)}`
  const { title, how, body } = instructions(view, instrument)
  // A rejected receipt comes first, because the payer has probably paid already.
  if (receipt?.status === 'rejected')
    return html`${receiptPanel(view)}
<details class="card folded"><summary>${words.notPaidYet}${icon('chevron')}</summary><p class="lead">${how}</p>${body}</details>`
  return html`<div class="heading"><h1>${title}</h1><p class="lead">${how}</p>${anotherWay(view)}</div>
<section class="card">${body}</section>${receiptPanel(view)}${backToShop(payment, words)}`
}

/** The account that the money went to, for reference only. */
function transferred(view: View, instrument: Instrument): Html | string {
  if (instrument.type !== 'display_bank_transfer_instructions') return ''
  return html`<details class="card folded"><summary>${view.words.transferredTo}${icon('chevron')}</summary>${transfer(view, instrument)}</details>`
}

/** The payment already uses this method, so the page offers no other; the shop can. It is read before anything is paid. */
const anotherWay = ({ payment, words }: View): Html | string =>
  payment.returnUrl === null ? '' : html`<p class="another-way">${words.anotherWay}</p>`

/** Open, but the payer has nothing to do. */
export function processing({ payment, words }: View): Html {
  // Without a method, no provider was asked yet.
  const [title, why] =
    payment.route === null ? [words.closed, words.closedWhy] : [words.processing, words.processingWhy]
  return html`<section class="card ending"><span class="mark neutral pulsing">${icon('clock')}</span>
<h1>${title}</h1><p class="lead">${why}</p>${backToShop(payment, words)}</section>`
}

/** Nothing must be paid any more. */
export function cancelling(view: View): Html {
  const { payment, words } = view
  return html`<section class="card ending"><span class="mark neutral pulsing">${icon('stop')}</span>
<h1>${words.cancelling}</h1><p class="lead">${words.cancellingWhy}</p><p>${moneyHint(payment, words)}</p>
${backToShop(payment, words)}</section>${lateReceipt(view)}`
}

interface Instructions {
  readonly title: string
  readonly how: string
  readonly body: Html
}

function instructions(view: View, instrument: Instrument): Instructions {
  const { words } = view
  switch (instrument.type) {
    case 'display_qr_code':
      return { title: words.scan, how: words.scanHow, body: qrCode(view) }
    case 'display_bank_transfer_instructions':
      return { title: words.transfer, how: words.transferHow, body: transfer(view, instrument) }
    case 'redirect_to_url': {
      const { name } = bankShown(view)
      return { title: words.redirect(name), how: words.redirectHow, body: redirect(view, name) }
    }
  }
}

function qrCode({ words, pathTo }: View): Html {
  const image = pathTo('qr', null)
  return html`<div class="qr"><img src="${image}" alt="${words.qrAlt}">
<p class="waiting">${words.waitingForPayment}</p>
<a class="secondary" href="${image}" download="qr.png">${words.saveQr}</a></div>`
}

type Transfer = Extract<Instrument, { type: 'display_bank_transfer_instructions' }>

function transfer({ payment, words }: View, { bank, account, reference }: Transfer): Html {
  const sum = spellMoney(payment, words)
  const rows = [
    row(words, words.amount, sum, formatMinor(payment.amount, payment.currency)),
    // A method without banks appears as the bank in the instructions, but the payer cannot look it up.
    bank.code === payment.route?.method
      ? ''
      : row(words, words.shopsBank, bankName(bank, payment.country, words)),
    row(words, words.accountName, account.name),
    row(words, words.accountNumber, grouped(account.number), account.number),
    row(words, words.reference, reference, reference),
  ]
  return html`<dl class="account">${rows}</dl>`
}

/** A value, with a copy button if the payer has to enter it elsewhere. */
function row({ copy, copied, copyWhat }: View['words'], name: string, shown: string, copies?: string): Html {
  // Copying needs a script, so the button is hidden without one.
  const button =
    copies === undefined
      ? ''
      : html`<button type="button" class="copy" hidden data-copy="${copies}" data-copied="${copied}" aria-label="${copyWhat(name)}">${copy}</button>`
  return html`<div><dt>${name}</dt><dd><span class="value">${shown}</span>${button}</dd></div>`
}

/** Groups digits in fours, which are easier to read. */
const grouped = (number: string) => number.replace(/(\d{4})(?=\d)/g, '$1 ')

const redirect = ({ words, pathTo, expiresAt }: View, name: string) =>
  html`<div class="leaving"><span class="mark neutral">${icon('phone')}</span>
<a class="primary" href="${pathTo('bank', expiresAt)}">${words.toBank(name)}</a></div>`

/** The receipt of the payment: its status, and a form to submit one if it is required. */
function receiptPanel(view: View): Html {
  const { payment, words } = view
  switch (payment.receipt?.status) {
    case undefined:
      return html``
    case 'processing':
      return html`<section class="card state" aria-busy="true"><span class="mark neutral pulsing">${icon('clock')}</span>
<div><h1>${words.receiptProcessing}</h1><p>${words.receiptProcessingWhy}</p></div></section>`
    case 'submitted':
      return html`<section class="card state"><span class="mark good">${icon('check')}</span>
<div><h1>${words.receiptSubmitted}</h1><p>${words.receiptSubmittedWhy}</p></div></section>`
    case 'rejected':
      return html`<section class="card receipt"><div class="state" role="alert"><span class="mark bad">${icon('cross')}</span>
<div><h1>${words.receiptRejected}</h1>${reason(view)}</div></div>
<p>${words.receiptReplace}</p>${upload(view, words.sendReplacement)}${backToShop(payment, words)}</section>`
    case 'required':
      return html`<section class="card receipt"><h2>${words.receipt}</h2><p>${words.receiptHow}</p>
${upload(view, words.sendReceipt)}</section>`
  }
}

/** During a cancellation, a payer who has already paid can still submit a receipt, but nobody is asked to. */
function lateReceipt(view: View): Html | string {
  const { payment, words, problem } = view
  const { receipt } = payment
  if (receipt === null || payment.action === null) return ''
  if (receipt.status === 'processing' || receipt.status === 'submitted')
    return html`<p class="banner" role="status">${words[receipt.status === 'processing' ? 'receiptProcessing' : 'receiptSubmitted']}</p>`
  const isTried = problem !== undefined && receiptProblem(problem, words) !== undefined
  const back = receipt.status === 'rejected' ? html`<p>${words.receiptRejected}</p>${reason(view)}` : ''
  return html`<details class="card folded"${isTried ? html` open` : ''}><summary>${words.paidAlready}${icon('chevron')}</summary>
<div class="receipt">${back}${upload(view, words.sendReceipt)}</div></details>`
}

/** The provider's message, if there is one. The page already says that the receipt was rejected. */
function reason({ payment }: View): Html | string {
  const given = payment.receipt?.rejection ?? ''
  return given === '' || given === 'The receipt was rejected' ? '' : html`<p class="reason">${given}</p>`
}

function upload(view: View, send: string): Html {
  const { words, problem } = view
  const message = problem && receiptProblem(problem, words)
  const marks = message ? html` aria-invalid="true" autofocus` : ''
  const checks = html` data-most="${LIMITS.receiptImage}" data-missing="${words.receiptMissing}" data-too-large="${words.receiptTooLarge}" data-wrong-type="${words.receiptWrongType}"`
  return form(
    view,
    'receipt',
    html`<div class="field" data-upload><label class="drop" for="receipt-file">${icon('image')}<span><strong data-file-name>${words.chooseFile}</strong>
<span class="quiet" id="receipt-types">${words.receiptTypes}</span></span>
<img class="preview" data-preview alt="${words.receiptPreview}" hidden></label>
<input class="file" id="receipt-file" type="file" name="file" accept="${RECEIPT_TYPES.join(',')}" required aria-describedby="receipt-types receipt-problem"${marks}${checks}>
<p class="problem" id="receipt-problem" data-problem>${message ?? ''}</p></div>
<button class="primary" data-busy="${words.sending}">${send}</button>`,
    'file',
  )
}

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
  return endingCard(end, words[end], why(end, payment, words), backToShop(payment, words, 'primary'))
}

function endingCard(end: Ending, title: string, because: Html, back: Html | string): Html {
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
      return html`<p>${failureReason(failure, words)}</p><p class="lead">${moneyHint(payment, words)}</p>`
    }
    default:
      return html`<p class="lead">${words[`${end}Why`]} ${moneyHint(payment, words)}</p>`
  }
}

/** In the payer's words, if the code is a usual one; otherwise the provider's message, if there is one. */
function failureReason(failure: Payment['failure'], { failures, failedWhy }: Words): string {
  const known = Object.entries(failures).find(([code]) => code === failure?.code)
  if (known) return known[1]
  return failure && failure.message !== 'The payment failed' ? failure.message : failedWhy
}

/** What to say about the payer's money if the payment did not succeed, so that nobody pays twice. */
function moneyHint({ receipt, instrument, outcome }: Payment, words: Words): string {
  if (receipt !== null && receipt.submissions > 0) return words.receiptSentHint
  // The gateway does not notice when the payer scans a code or makes a transfer, but a bank reports at once.
  const mayBePaid = instrument !== null && (outcome === null || instrument.type !== 'redirect_to_url')
  return mayBePaid ? words.mayBePaidHint : words.notPaidHint
}
