import { invalid, type rejection } from '../../contract/errors.ts'
import type { CreatePaymentRequest } from '../../contract/requests.ts'
import type { CheckoutMode } from '../../contract/statuses.ts'
import { later } from '../../contract/timestamps.ts'
import type { RouteEntry } from '../catalogue.ts'
import type { CommandOf } from '../commands.ts'
import type { EventOf } from '../events.ts'
import type { Customer, MethodOptions } from '../model.ts'
import { chooseRoute, missingFields, routingTable, unknownBank, whyNoMethod } from '../routing.ts'
import { UNSCRIPTED_PAYMENT } from '../script.ts'
import { triggerLater } from '../timers.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, refuse } from './decision.ts'
import { emit } from './emit.ts'
import { freezeRoute, presentAction } from './freeze-route.ts'
import { once } from './idempotency.ts'

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

export const routeNeeds = (fields: readonly string[]) =>
  invalid(fields.map(field => ({ field, message: 'is required by the route of this method' })))
