import { invalid } from '../../contract/errors.ts'
import type { Command } from '../commands.ts'
import { chooseRoute, missingFields, unknownBank } from '../routing.ts'
import type { World } from '../world.ts'
import { routeNeeds } from './create-payment.ts'
import { type Context, type Decision, happens, notFound, refuse } from './decision.ts'
import { emit } from './emit.ts'
import { freezeRoute } from './freeze-route.ts'
import { routingTable } from './routing-table.ts'

/** The payer chooses a method on the hosted page. The same rules apply as to a create request with a method. */
export function chooseMethod(
  world: World,
  command: Extract<Command, { type: 'ChooseMethod' }>,
  context: Context,
): Decision {
  const payment = world.payments.get(command.payment)
  if (!payment) return notFound('payment intent')
  if (payment.route || !payment.action)
    return refuse('invalid_state', 'This payment no longer accepts a method')
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
