import { invalid } from '../../contract/errors.ts'
import type { CommandOf } from '../commands.ts'
import { type Customer, type MethodOptions, type Payment, statusOf } from '../model.ts'
import { chooseRoute, missingFields, routingTable, unknownBank } from '../routing.ts'
import type { World } from '../world.ts'
import { routeNeeds } from './create-payment.ts'
import { type Context, type Decision, happens, notFound, refuse } from './decision.ts'
import { emit } from './emit.ts'
import { freezeRoute } from './freeze-route.ts'

type Choice = CommandOf<'ChooseMethod'>

/** The payer chooses a method on the hosted page. The same rules apply as to a create request with a method. */
export function chooseMethod(world: World, command: Choice, context: Context): Decision {
  const payment = world.payments.get(command.payment)
  if (!payment) return notFound('payment intent')
  if (payment.route) {
    // Allowed in any state of the payment, because the payer may have missed the answer.
    if (isSame(payment, payment.route.method, command)) return happens(command.payment, [])
    const { method } = payment.route
    return refuse(
      'invalid_state',
      `The payment intent already has the method ${method}, and cannot get another`,
    )
  }
  if (!payment.action)
    return refuse('invalid_state', `The payment intent is ${statusOf(payment)}, and no longer takes a method`)
  const { amount, currency, country, checkoutMode } = payment
  const table = routingTable(world, context)
  const unknown = unknownBank(table.catalogue, command.method, command.options.bank)
  if (unknown) return { refused: invalid([unknown]) }
  const wanted = { amount, currency, country, checkoutMode, environment: context.environment }
  const { method, options } = command
  const chosen = chooseRoute(table, context.contract, wanted, { method, bank: options.bank })
  if ('refused' in chosen) return chosen
  const customer = { ...payment.customer, ...command.customer }
  const missing = missingFields(chosen.route, customer, command.options)
  if (missing.length > 0) return { refused: routeNeeds(missing) }
  const draft = { ...payment, id: command.payment, customer, createdAt: payment.sortKey.createdAt }
  const choice = {
    route: chosen.route,
    options: command.options,
    byPayer: { customer, pageEndsAt: payment.action.expiresAt },
  }
  const events = freezeRoute(world, context, draft, choice)
  return happens(command.payment, [
    ...events,
    ...emit(world, context, 'payment.updated', { payment: command.payment }),
  ])
}

/** Whether it would change nothing of what was chosen. */
function isSame({ options, customer }: Payment, frozen: string, choice: Choice): boolean {
  const given = { ...customer, ...choice.customer }
  return frozen === choice.method && isEqual(options, choice.options) && isEqual(customer, given)
}

const isEqual = (one: MethodOptions & Customer, other: MethodOptions & Customer) =>
  FIELDS.every(field => one[field] === other[field])

const FIELDS = ['account_name', 'account_number', 'bank', 'name_th', 'name', 'phone', 'email'] as const
