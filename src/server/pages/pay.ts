import { formatMinor } from '../../contract/currencies.ts'
import type { Instrument } from '../../domain/instrument/index.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { spellMoney } from './money.ts'
import { receiptPanel } from './receipt-panel.ts'
import { bankShown, type View } from './view.ts'
import { bankName } from './words/catalogue.ts'

/** What the payer does, once a method is chosen. */
export function paySteps(view: View): Html {
  const { payment, words } = view
  const { action, instrument, receipt } = payment
  if (!action || !instrument) return processing(view)
  const cancelling =
    payment.cancelRequestedAt === null ? '' : html`<p class="banner" role="status">${words.cancelling}</p>`
  const { title, how, body } = instructions(view, instrument)
  // A receipt that is on its way, or back, matters more than how to pay.
  if (receipt !== null && receipt.status !== 'required')
    return html`${cancelling}${receiptPanel(view)}
<details class="card folded"><summary>${title}${icon('chevron')}</summary><p class="lead">${how}</p>${body}</details>`
  return html`${cancelling}<div class="heading"><h1>${title}</h1><p class="lead">${how}</p></div>
<section class="card">${body}</section>${receiptPanel(view)}`
}

/** Open, and nothing for the payer to do. */
export const processing = ({ words }: View) =>
  html`<section class="card ending"><span class="mark neutral pulsing">${icon('clock')}</span>
<h1>${words.processing}</h1><p class="lead">${words.processingWhy}</p></section>`

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
    row(words, words.bank, bankName(bank, payment.country, words)),
    row(words, words.accountName, account.name),
    row(words, words.accountNumber, grouped(account.number), account.number),
    row(words, words.reference, reference, reference),
  ]
  return html`<dl class="account">${rows}</dl>`
}

/** One value, with a button that copies it where the payer has to type it elsewhere. */
function row({ copy, copied, copyWhat }: View['words'], name: string, shown: string, copies?: string): Html {
  // Copying takes a script: without one the button would do nothing, so it stays hidden.
  const button =
    copies === undefined
      ? ''
      : html`<button type="button" class="copy" hidden data-copy="${copies}" data-copied="${copied}" aria-label="${copyWhat(name)}">${copy}</button>`
  return html`<div><dt>${name}</dt><dd><span class="value">${shown}</span>${button}</dd></div>`
}

/** Digits in fours are read without losing the place. */
const grouped = (number: string) => number.replace(/(\d{4})(?=\d)/g, '$1 ')

const redirect = ({ words, pathTo, expiresAt }: View, name: string) =>
  html`<div class="leaving"><span class="mark neutral">${icon('phone')}</span>
<a class="primary" href="${pathTo('bank', expiresAt)}">${words.toBank(name)}</a></div>`
