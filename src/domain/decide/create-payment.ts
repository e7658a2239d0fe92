import { invalid, type rejection } from '../../contract/errors.ts'
import type { CreatePaymentRequest } from '../../contract/requests.ts'
import type { CheckoutMode } from '../../contract/statuses.ts'
import { later } from '../../contract/timestamps.ts'
import type { RouteEntry } from '../catalogue.ts'
import type { CommandOf } from '../commands.ts'
import type { EventOf } from '../events.ts'
import { type Customer, type MethodOptions, type Payment, statusOf } from '../model.ts'
import { chooseRoute, missingFields, routingTable, unknownBank, whyNoMethod } from '../routing.ts'
import { UNSCRIPTED_PAYMENT } from '../script.ts'
import { triggerLater } from '../timers.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, notFound, once, refuse } from './decision.ts'
import { emit } from './emit.ts'
import { freezeRoute, presentAction } from './freeze-route.ts'

export function createPayment(world: World, command: CommandOf<'CreatePayment'>, context: Context): Decision {
  const { request, idempotency } = command
  const checkoutMode = request.checkout_mode ?? 'hosted'
  return once(world, context, idempotency, 'payment', () => create(world, request, checkoutMode, context))
}

export const deniedMode = (mode: CheckoutMode): Parameters<typeof rejection> => [
  'checkout_mode_not_allowed',
  `The Team policy does not allow checkout_mode ${mode}`,
]

function create(
  world: World,
  request: CreatePaymentRequest,
  checkoutMode: CheckoutMode,
  context: Context,
): Decision {
  if (!context.checkoutModes.includes(checkoutMode)) return refuse(...deniedMode(checkoutMode))
  const { amount, currency, country } = request
  const table = routingTable(world, context)
  const wanted = { amount, currency, country, checkoutMode, environment: context.environment }
  const options: MethodOptions = request.payment_method_options ?? {}
  let route: RouteEntry | undefined
  if (request.payment_method !== undefined) {
    const unknown = unknownBank(table.catalogue, request.payment_method, options.bank)
    if (unknown) return { refused: invalid([unknown]) }
    const choice = { method: request.payment_method, bank: options.bank }
    const chosen = chooseRoute(table, context.contract, wanted, choice)
    if ('refused' in chosen) return chosen
    const missing = missingFields(chosen.route, request.customer, options)
    if (missing.length > 0) return { refused: routeNeeds(missing) }
    route = chosen.route
  } else {
    const refused = whyNoMethod(table, context.contract, wanted)
    if (refused) return { refused }
  }

  const id = context.newId('pi')
  const expiresAt = later(context.at, context.contract['payment.expiry'])
  const created: Required<EventOf<'PaymentCreated'>> = {
    type: 'PaymentCreated',
    payment: id,
    amount,
    currency,
    country,
    checkoutMode,
    merchantReference: request.merchant_reference ?? null,
    customer: knownFields(request.customer),
    returnUrl: request.return_url ?? null,
    expiresAt,
  }
  const { merchantReference, customer } = created
  const draft = {
    id,
    amount,
    currency,
    country,
    checkoutMode,
    merchantReference,
    customer,
    createdAt: context.at,
  }
  const start = route
    ? freezeRoute(world, context, draft, { route, options })
    : presentAction(context, { id, checkoutMode, expiresAt, script: UNSCRIPTED_PAYMENT, takesReceipt: false })
  const emitted = emit(world, context, 'payment.created', { payment: id })
  return happens(id, [created, triggerLater(id, 'expire', expiresAt), ...start, ...emitted])
}

/** Unknown members of the customer are ignored, so they are not stored either. */
function knownFields({ name, phone, email }: Customer): Customer {
  // Spreading a part for each field takes ten times as long.
  const known: { name?: string; phone?: string; email?: string } = {}
  if (name !== undefined) known.name = name
  if (phone !== undefined) known.phone = phone
  if (email !== undefined) known.email = email
  return known
}

const routeNeeds = (fields: readonly string[]) =>
  invalid(fields.map(field => ({ field, message: 'is required by the route of this method' })))

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
