import { formatMinor } from '../../contract/currencies.ts'
import type { Instrument } from '../../domain/instrument/index.ts'
import { moneyHint } from './ending.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { spellMoney } from './money.ts'
import { lateReceipt, receiptPanel } from './receipt-panel.ts'
import { bankShown, hasSentReceipt, type View } from './view.ts'
import { wayBack } from './way-back.ts'
import { bankName } from './words/catalogue.ts'

/** What the payer does after choosing a method. */
export function paySteps(view: View): Html {
  const { payment, words } = view
  const { action, instrument, receipt } = payment
  if (!action || !instrument) return processing(view)
  if (hasSentReceipt(payment))
    return html`${receiptPanel(view)}${transferred(view, instrument)}${wayBack(payment, words)}`
  const { title, how, body } = instructions(view, instrument)
  // A rejected receipt comes first, because the payer has probably paid already.
  if (receipt?.status === 'rejected')
    return html`${receiptPanel(view)}
<details class="card folded"><summary>${words.notPaidYet}${icon('chevron')}</summary><p class="lead">${how}</p>${body}</details>`
  return html`<div class="heading"><h1>${title}</h1><p class="lead">${how}</p></div>
<section class="card">${body}</section>${receiptPanel(view)}${anotherWay(view)}`
}

/** The account that the money went to, for reference only. */
function transferred(view: View, instrument: Instrument): Html | string {
  if (instrument.type !== 'display_bank_transfer_instructions') return ''
  return html`<details class="card folded"><summary>${view.words.transferredTo}${icon('chevron')}</summary>${transfer(view, instrument)}</details>`
}

/** The payment already uses this method, so the page offers no other; the shop can. */
function anotherWay({ payment, words }: View): Html | string {
  const back = wayBack(payment, words)
  return back === '' ? '' : html`<div class="another-way"><p>${words.anotherWay}</p>${back}</div>`
}

/** Open, but the payer has nothing to do. */
export function processing({ payment, words }: View): Html {
  // Without a method, no provider was asked yet.
  const [title, why] =
    payment.route === null ? [words.closed, words.closedWhy] : [words.processing, words.processingWhy]
  return html`<section class="card ending"><span class="mark neutral pulsing">${icon('clock')}</span>
<h1>${title}</h1><p class="lead">${why}</p>${wayBack(payment, words)}</section>`
}

/** Nothing must be paid any more. */
export function cancelling(view: View): Html {
  const { payment, words } = view
  return html`<section class="card ending"><span class="mark neutral pulsing">${icon('stop')}</span>
<h1>${words.cancelling}</h1><p class="lead">${words.cancellingWhy}</p><p>${moneyHint(payment, words)}</p>
${wayBack(payment, words)}</section>${lateReceipt(view)}`
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
