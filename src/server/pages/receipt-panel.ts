import { LIMITS, RECEIPT_TYPES } from '../../contract/limits.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { receiptProblem } from './problem.ts'
import { form, type View } from './view.ts'
import { wayBack } from './way-back.ts'

/** The receipt of the payment: its status, and a form to submit one if it is required. */
export function receiptPanel(view: View): Html {
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
<p>${words.receiptReplace}</p>${upload(view, words.sendReplacement)}${wayBack(payment, words)}</section>`
    case 'required':
      return html`<section class="card receipt"><h2>${words.receipt}</h2><p>${words.receiptHow}</p>
${upload(view, words.sendReceipt)}</section>`
  }
}

/** During a cancellation, a payer who has already paid can still submit a receipt, but nobody is asked to. */
export function lateReceipt(view: View): Html | string {
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
