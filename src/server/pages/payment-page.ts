import { formatMinor } from '../../contract/currencies.ts'
import type { PayerField } from '../../contract/resources.ts'
import { routingTable } from '../../domain/decide/routing-table.ts'
import { type Payment, statusOf } from '../../domain/model.ts'
import { type EligibleMethod, eligibleMethods } from '../../domain/routing.ts'
import type { Tenant } from '../../engine/tenant.ts'
import { type Html, hrefOf, html } from './html.ts'

/** What the payer sees of one payment, whatever its state. */
export interface PaymentPage {
  readonly title: string
  readonly body: Html
}

interface View {
  readonly tenant: Tenant
  readonly payment: Payment
  readonly path: string
  /** Why the last thing that was sent was not taken. */
  readonly fault?: string
}

export function paymentPage(view: View): PaymentPage {
  const { payment } = view
  if (payment.outcome !== null) return ended(payment)
  const amount = `${formatMinor(payment.amount, payment.currency)} ${payment.currency}`
  const step = payment.route ? instructions(view) : choice(view)
  const fault = view.fault === undefined ? '' : html`<p role="alert"><strong>${view.fault}</strong></p>`
  return {
    title: `Pay ${amount}`,
    body: html`${fault}<p>${view.tenant.merchantName()}</p>${step}${simulator(view)}`,
  }
}

const ENDINGS = {
  succeeded: 'Payment received',
  failed: 'Payment failed',
  expired: 'Payment expired',
  cancelled: 'Payment cancelled',
} as const

/** The way back is a plain link to the address as the merchant gave it: it says nothing of how the payment ended. */
function ended({ outcome, cancelled, failure, returnUrl }: Payment): PaymentPage {
  const title = ENDINGS[cancelled ? 'cancelled' : (outcome ?? 'failed')]
  const why = failure && !cancelled ? html`<p>${failure.message}</p>` : ''
  const back = returnUrl === null ? '' : html`<p><a href="${hrefOf(returnUrl)}">Back to the shop</a></p>`
  return { title, body: html`${why}${back}` }
}

function choice({ tenant, payment, path }: View): Html {
  const { world, environment } = tenant.account
  const { amount, country, currency, checkoutMode } = payment
  const wanted = { amount, country, currency, checkoutMode, environment }
  const methods = eligibleMethods(routingTable(world, tenant), wanted)
  if (methods.length === 0) return html`<p>No way to pay is available right now. Please try again later.</p>`
  return html`<p>How would you like to pay?</p>${methods.map(method => methodForm(method, payment, path))}`
}

function methodForm({ method, banks, required }: EligibleMethod, payment: Payment, path: string): Html {
  const options = banks.map(({ code, label }) => html`<option value="${code}">${label}</option>`)
  const bank =
    required.has('bank') || banks.length > 0
      ? html`<label>Bank <select name="bank" ${required.has('bank') ? 'required' : ''}><option value=""></option>${options}</select></label>`
      : ''
  const given: Partial<Record<PayerField, string | undefined>> = {
    customer_name: payment.customer.name,
    customer_phone: payment.customer.phone,
  }
  const fields = TEXT_FIELDS.filter(([field]) => required.has(field)).map(
    ([field, label]) =>
      html`<label>${label} <input name="${field}" value="${given[field] ?? ''}" maxlength="256" required></label>`,
  )
  return html`<form method="post" action="${path}"><fieldset><legend>${method.label}</legend>
<input type="hidden" name="act" value="choose"><input type="hidden" name="method" value="${method.code}">
${bank}${fields}<button>Pay with ${method.label}</button></fieldset></form>`
}

const TEXT_FIELDS: readonly (readonly [PayerField, string])[] = [
  ['customer_name', 'Your name'],
  ['customer_phone', 'Your phone number'],
  ['account_name', 'Name on the account'],
  ['account_number', 'Account number'],
  ['name_th', 'Your name in Thai'],
]

function instructions(view: View): Html {
  const { instrument } = view.payment
  switch (instrument?.type) {
    case 'display_qr_code':
      return html`<p>Scan this with your bank's app.</p><img src="${qrOf(view)}" alt="QR code of this payment">`
    case 'display_bank_transfer_instructions':
      return html`<p>Please transfer the amount to this account.</p>
<dl><dt>Bank</dt><dd>${instrument.bank.label}</dd>
<dt>Account name</dt><dd>${instrument.account.name}</dd>
<dt>Account number</dt><dd>${instrument.account.number}</dd>
<dt>Reference</dt><dd>${instrument.reference}</dd></dl>${receipt(view)}`
    default:
      return html`<p>Your bank asks: do you approve this payment?</p>${receipt(view)}`
  }
}

const qrOf = ({ tenant, payment }: View) =>
  new URL(tenant.rendering.lens.links.qrImage(payment)).pathname +
  new URL(tenant.rendering.lens.links.qrImage(payment)).search

function receipt({ payment, path }: View): Html | string {
  switch (payment.receipt?.status) {
    case undefined:
      return ''
    case 'processing':
      return html`<p>Your receipt is being checked.</p>`
    case 'submitted':
      return html`<p>Your receipt was accepted. We are waiting for the money.</p>`
    default:
      return html`${payment.receipt?.rejection ? html`<p role="alert">${payment.receipt.rejection}</p>` : ''}
<form method="post" action="${path}" enctype="multipart/form-data"><input type="hidden" name="act" value="receipt">
<label>Receipt (JPEG or PNG, at most 5 MB) <input type="file" name="file" accept="image/jpeg,image/png" required></label>
<button>Send the receipt</button></form>`
  }
}

/** This is no real payment, so whoever looks at it may say how it goes on. */
function simulator({ payment, path }: View): Html {
  if (!payment.route || statusOf(payment) !== 'pending') return html``
  const buttons = [
    ['succeed', 'Approve'],
    ['fail', 'Decline'],
    ['expire', 'Let it expire'],
  ].map(([act = '', label = '']) => html`<button name="act" value="${act}">${label}</button> `)
  return html`<form class="simulator" method="post" action="${path}"><p>Simulator: what happens next?</p>${buttons}</form>`
}
