import type { Contract } from '../../contract/decisions.ts'
import { DiscoveryQuery } from '../../contract/requests.ts'
import { PAYER_FIELDS } from '../../contract/resources.ts'
import { validator } from '../../contract/validation.ts'
import { deniedMode } from '../../domain/decide/create-payment.ts'
import { routingTable } from '../../domain/decide/routing-table.ts'
import type { CheckoutMode } from '../../domain/model.ts'
import { type EligibleMethod, eligibleMethods } from '../../domain/routing.ts'
import { demandNoProblems, refuse } from '../refusal.ts'
import { runtimeOf, sendJson } from '../send-json.ts'
import type { Handler } from './handler.ts'

const checkQuery = validator(DiscoveryQuery)

export const listPaymentMethods: Handler = ({ request, reply, operation, contract }) => {
  demandNoProblems(checkQuery(request.query))
  const {
    amount,
    country,
    currency,
    provider,
    checkout_mode: mode = 'hosted',
  } = request.query as DiscoveryQuery
  const runtime = runtimeOf(request)
  const { environment, world } = runtime.account
  const allowed = runtime.checkoutModes().includes(mode)
  if (!allowed && contract['methods.denied_mode'] === '403') throw refuse(...deniedMode(mode))
  const wanted = { amount, country, currency, provider, checkoutMode: mode, environment }
  const eligible = allowed ? eligibleMethods(routingTable(world, runtime), wanted) : []
  const methods = eligible.map(method => methodView(method, mode, contract))
  return sendJson(
    reply,
    operation.success.status,
    JSON.stringify({ country, currency, environment, methods }),
  )
}

function methodView(
  { method, banks, required, named, actions }: EligibleMethod,
  mode: CheckoutMode,
  contract: Contract,
) {
  const everyKey = contract['methods.payer_keys'] === 'all'
  const keys = PAYER_FIELDS.filter(field => everyKey || named.has(field))
  return {
    category: method.category,
    code: method.code,
    label: method.label,
    next_action_types: mode === 'hosted' ? ['redirect_to_url'] : actions,
    options: {
      ...(banks.length === 0 && contract['methods.banks_empty'] === 'omit' ? {} : { banks }),
      payer: Object.fromEntries(keys.map(field => [field, { required: required.has(field) }])),
    },
  }
}
