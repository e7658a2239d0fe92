import { routingTable } from '../../domain/decide/routing-table.ts'
import { type EligibleMethod, eligibleMethods } from '../../domain/routing.ts'
import { type Html, html } from './html.ts'
import { type Icon, icon } from './icons.ts'
import { bankField, type MethodForm, textFields } from './method-fields.ts'
import { form, type View } from './view.ts'
import { wayBack } from './way-back.ts'
import { methodName } from './words/catalogue.ts'

/** The methods that could carry this payment, each with its fields folded up below it. */
export function choice(view: View): Html {
  const { runtime, payment, words, problem } = view
  const { world, environment } = runtime.account
  const { amount, country, currency, checkoutMode } = payment
  const wanted = { amount, country, currency, checkoutMode, environment }
  const methods = eligibleMethods(routingTable(world, runtime), wanted)
  if (methods.length === 0)
    return html`<section class="card ending"><span class="mark neutral">${icon('search')}</span>
<h1>${words.chooseNothing}</h1><p class="lead">${words.chooseNothingWhy}</p>${wayBack(payment, words, 'primary')}</section>`
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
