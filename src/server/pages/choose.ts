import { LIMITS } from '../../contract/limits.ts'
import type { PayerField } from '../../contract/resources.ts'
import { type EligibleMethod, eligibleMethods, routingTable } from '../../domain/routing.ts'
import { backToShop, Html, html, type Icon, icon } from './layout.ts'
import { fieldProblems, form, type Problem, type View } from './view.ts'
import { wordsForBank } from './words/banks.ts'
import { bankNames, methodName } from './words/language.ts'

/** The methods that could carry this payment, each with its fields folded up below it. */
export function choice(view: View): Html {
  const { runtime, payment, words, problem } = view
  const { world, environment } = runtime.account
  const { amount, country, currency, checkoutMode } = payment
  const wanted = { amount, country, currency, checkoutMode, environment }
  const methods = eligibleMethods(routingTable(world, runtime), wanted)
  if (methods.length === 0)
    return html`<section class="card ending"><span class="mark neutral">${icon('search')}</span>
<h1>${words.chooseNothing}</h1><p class="lead">${words.chooseNothingWhy}</p>${backToShop(payment, words, 'primary')}</section>`
  const tried = problem?.fields.get('method')
  const cards = methods.map((eligible, at) => {
    const isTried = eligible.method.code === tried
    const mine = isTried && problem ? { problem } : {}
    return methodCard(
      { view, eligible, id: `method-${at + 1}`, isOnly: methods.length === 1, ...mine },
      isTried || (!tried && methods.length === 1),
    )
  })
  return html`<h1>${words.choose}</h1><div class="methods">${cards}</div>`
}

function methodCard(methodForm: MethodForm, isUnfolded: boolean): Html {
  const { view, eligible, isOnly } = methodForm
  const { method, banks, required } = eligible
  const name = methodName(method, view.words)
  const inside = html`<input type="hidden" name="method" value="${method.code}">
${required.has('bank') || banks.length > 0 ? bankField(methodForm) : ''}${textFields(methodForm)}
<button class="primary" data-busy="${view.words.sending}">${view.words.payWith(name)}</button>
${isOnly ? '' : html`<a class="other-method" href="${view.path}" data-fold>${view.words.chooseOther}</a>`}`
  return html`<details class="method card" name="method"${isUnfolded ? html` open` : ''}>
<summary><span class="badge">${icon(iconOf(eligible))}</span><span class="name">${name}</span>${icon('chevron')}</summary>
${form(view, 'choose', inside)}</details>`
}

function iconOf({ actions }: EligibleMethod): Icon {
  if (actions.includes('display_qr_code')) return 'qr'
  return actions.includes('redirect_to_url') ? 'phone' : 'bank'
}

/** The form of one method. */
interface MethodForm {
  readonly view: View
  readonly eligible: EligibleMethod
  /** The prefix of the ids of its fields. */
  readonly id: string
  /** Whether there is no other method to choose. */
  readonly isOnly: boolean
  /** The problem of this form, if it was sent and refused. */
  readonly problem?: Problem
}

function bankField(methodForm: MethodForm): Html {
  const { eligible, view, problem } = methodForm
  const { method, banks, required } = eligible
  const { payment, words } = view
  const chosen = problem?.fields.get('bank')
  const options = banks.map(({ code, label }) => {
    const known = method.banks?.find(bank => bank.code === code) ?? { code, label }
    const names = bankNames(known, payment.country, words)
    const also = wordsForBank(known, payment.country).join('\n')
    return html`<option value="${code}" data-also="${also}"${code === chosen ? html` selected` : ''}>${names}</option>`
  })
  const texts = html` data-search="${words.searchBank}" data-none="${words.noBankFound}" data-several="${words.bankUnclear}" data-found="${words.banksFound}"`
  return labelled(
    { methodForm, field: 'bank', label: words.payersBank, isRequired: required.has('bank') },
    attributes =>
      html`<select name="bank"${attributes}${texts}><option value="">${words.chooseBank}</option>${options}</select>`,
  )
}

type TextField = Exclude<PayerField, 'bank'>

/** The fields in order, each with hints for autofill and keyboards. */
const TEXT_FIELDS: readonly (readonly [TextField, Html])[] = [
  ['customer_name', new Html('type="text" autocomplete="name"')],
  ['customer_phone', new Html('type="tel" autocomplete="tel"')],
  ['account_name', new Html('type="text" autocomplete="off"')],
  ['account_number', new Html('type="text" inputmode="numeric" autocomplete="off"')],
  ['name_th', new Html('type="text" lang="th" autocomplete="off"')],
]

/** As they stand in the form. */
const IN_ORDER: readonly PayerField[] = ['bank', ...TEXT_FIELDS.map(([field]) => field)]

function textFields(methodForm: MethodForm): Html[] {
  const { eligible, view, problem } = methodForm
  const { customer } = view.payment
  const given: Partial<Record<TextField, string | undefined>> = {
    customer_name: customer.name,
    customer_phone: customer.phone,
  }
  return TEXT_FIELDS.filter(([field]) => eligible.required.has(field)).map(([field, kind]) => {
    const value = problem?.fields.get(field) ?? given[field] ?? ''
    return labelled(
      { methodForm, field, label: view.words.fields[field], isRequired: true },
      attributes =>
        html`<input ${kind} name="${field}" value="${value}" data-most="${LIMITS.textLength}"${attributes}>`,
    )
  })
}

interface Labelled {
  readonly methodForm: MethodForm
  readonly field: PayerField
  readonly label: string
  readonly isRequired: boolean
}

/** A field with its label and its problem. */
function labelled(
  { methodForm: { id: prefix, view, problem }, field, label, isRequired }: Labelled,
  control: (attributes: Html) => Html,
): Html {
  const { words } = view
  const problems = problem ? fieldProblems(problem, words) : undefined
  const message = problems?.get(field)
  const isFirst = IN_ORDER.find(each => problems?.has(each)) === field
  const id = `${prefix}-${field}`
  const attributes = html` id="${id}"${isRequired ? html` required` : ''}${
    message === undefined ? '' : html` aria-invalid="true" aria-describedby="${id}-problem"`
  }${isFirst ? html` autofocus` : ''}`
  const hint = isRequired ? '' : html` <span class="quiet">(${words.optional})</span>`
  return html`<div class="field"><label for="${id}">${label}${hint}</label>
${control(attributes)}
${message === undefined ? '' : html`<p class="problem" id="${id}-problem">${message}</p>`}</div>`
}
