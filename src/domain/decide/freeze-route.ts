import { later } from '../../contract/timestamps.ts'
import type { MethodEntry, RouteEntry } from '../catalogue.ts'
import type { DomainEvent, EventOf } from '../events.ts'
import { makeInstrument } from '../instrument/index.ts'
import type { Customer, FrozenRoute, MethodOptions, Payment } from '../model.ts'
import { routingTable } from '../routing.ts'
import { paymentFacts } from '../rules/condition.ts'
import { consult } from '../rules/consult.ts'
import { moveTo, type PaymentScript, UNSCRIPTED_PAYMENT } from '../script.ts'
import { moveLater, triggerLater } from '../timers.ts'
import type { World } from '../world.ts'
import { type Context, ifAny } from './decision.ts'

type Draft = Pick<
  Payment,
  'amount' | 'currency' | 'country' | 'checkoutMode' | 'merchantReference' | 'customer'
> & {
  readonly id: string
  readonly createdAt: number
}

interface Choice {
  readonly route: RouteEntry
  readonly options: MethodOptions
  /** Set if the payer chose on the hosted page. */
  readonly byPayer?: { readonly customer: Customer; readonly pageEndsAt: number }
}

/** The events of choosing a route: the provider starts, and its script for this intent begins. */
export function freezeRoute(world: World, context: Context, draft: Draft, choice: Choice): DomainEvent[] {
  const { id } = draft
  const { catalogue } = routingTable(world, context)
  const route = catalogue.frozen.get(choice.route.id)
  const method = catalogue.methods.get(choice.route.method)
  if (!route || !method) throw new Error(`the catalogue lost its route ${choice.route.id}`)
  const { rule, events: counted } = consult(
    world,
    context.rules,
    paymentFacts(draft, choice.route, context.environment),
  )
  const script = rule?.payment ?? UNSCRIPTED_PAYMENT
  const expiresAt = later(draft.createdAt, script.expiryMs ?? context.contract['payment.expiry'])
  const instrument = makeInstrument({
    paymentId: id,
    action: route.action,
    country: draft.country,
    currency: draft.currency,
    amount: draft.amount,
    method: { code: method.code, label: method.label, banks: banksOf(method, choice.route) },
    bank: choice.options.bank ?? null,
    payee: context.merchantName,
  })
  const frozen: Required<EventOf<'RouteFrozen'>> = {
    type: 'RouteFrozen',
    payment: id,
    route,
    options: choice.options,
    customer: ifAny(choice.byPayer?.customer),
    instrument,
    script: ifAny(rule && script),
    rule: ifAny(rule?.data),
    expiresAt,
    byPayer: choice.byPayer !== undefined,
  }
  const payment = {
    id,
    checkoutMode: draft.checkoutMode,
    expiresAt,
    script,
    takesReceipt: route.takesReceipt,
  }
  return [
    ...counted,
    frozen,
    ...(script.expiryMs === null ? [] : [triggerLater(id, 'expire', expiresAt)]),
    ...firstAction(context, payment, route, choice.byPayer?.pageEndsAt),
  ]
}

/** Instructions may name only a bank that the route supports. */
const banksOf = ({ banks = [] }: MethodEntry, route: RouteEntry) =>
  banks.filter(({ code }) => route.banks && Object.hasOwn(route.banks, code))

/** What presenting an action depends on. */
interface Presentable {
  readonly id: string
  readonly checkoutMode: Payment['checkoutMode']
  readonly expiresAt: number
  readonly script: PaymentScript
  readonly takesReceipt: boolean
}

/** In hosted mode the action is to open the page. The page is already open if the payer chose the method there. */
function firstAction(
  context: Context,
  payment: Presentable,
  route: FrozenRoute,
  pageEndsAt: number | undefined,
): DomainEvent[] {
  const { action } = payment.script
  if (pageEndsAt !== undefined) return presentAction(context, payment, pageEndsAt)
  const afterMs = action.afterMs ?? (payment.checkoutMode === 'hosted' ? 0 : route.actionAfterMs)
  if (afterMs > 0) return [triggerLater(payment.id, 'present-action', later(context.at, afterMs))]
  return presentAction(context, payment)
}

/**
 * The payer can act until the action expires: at the time that the rule gives, otherwise with the page, otherwise with
 * the intent.
 */
export function presentAction(context: Context, payment: Presentable, pageEndsAt?: number): DomainEvent[] {
  const { at, contract } = context
  const { id, expiresAt } = payment
  const page = payment.checkoutMode === 'hosted' ? contract['hosted.page'] : 'intent'
  const { expiresAfterMs } = payment.script.action
  const standardEnd = page === 'intent' ? expiresAt : (pageEndsAt ?? later(at, page))
  const endsAt = Math.min(expiresAfterMs === null ? standardEnd : later(at, expiresAfterMs), expiresAt)
  return [
    { type: 'ActionPresented', payment: id, expiresAt: endsAt },
    // An action that lasts as long as the intent needs no timer of its own.
    ...(endsAt < expiresAt ? [triggerLater(id, 'withdraw-action', endsAt)] : []),
    // If no receipt is needed, the delay of the scripted outcome counts from the start of the action.
    ...(payment.takesReceipt ? [] : outcomeTimer(context, id, payment.script)),
  ]
}

/** The timer of the scripted outcome; none if the payment waits for a person. */
export function outcomeTimer({ at }: Context, payment: string, { outcome }: PaymentScript): DomainEvent[] {
  if (outcome === 'manual') return []
  const { trigger, failure } = moveTo(outcome)
  return [moveLater(payment, 'outcome', later(at, outcome.afterMs), trigger, failure)]
}
