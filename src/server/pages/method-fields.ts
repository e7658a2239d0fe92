import type { PayerField } from '../../contract/resources.ts'
import type { EligibleMethod } from '../../domain/routing.ts'
import { Html, html } from './html.ts'
import { fieldProblems, type Problem } from './problem.ts'
import type { View } from './view.ts'
import { wordsForBank } from './words/banks.ts'
import { bankNames } from './words/catalogue.ts'

/** The form of one method. */
export interface MethodForm {
  readonly view: View
  readonly eligible: EligibleMethod
  /** The prefix of the ids of its fields. */
  readonly id: string
  /** Whether there is no other method to choose. */
  readonly isOnly: boolean
  /** The problem of this form, if it was sent and refused. */
  readonly problem?: Problem
}

export function bankField(methodForm: MethodForm): Html {
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

export function textFields(methodForm: MethodForm): Html[] {
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
      attributes => html`<input ${kind} name="${field}" value="${value}"${attributes}>`,
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
  const isFirst = problems?.keys().next().value === field
  const id = `${prefix}-${field}`
  const attributes = html` id="${id}"${isRequired ? html` required` : ''}${
    message === undefined ? '' : html` aria-invalid="true" aria-describedby="${id}-problem"`
  }${isFirst ? html` autofocus` : ''}`
  const hint = isRequired ? '' : html` <span class="quiet">(${words.optional})</span>`
  return html`<div class="field"><label for="${id}">${label}${hint}</label>
${control(attributes)}
${message === undefined ? '' : html`<p class="problem" id="${id}-problem">${message}</p>`}</div>`
}
