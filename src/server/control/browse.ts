import type { PaymentRow, PayoutRow } from '../../contract/control/payments.ts'
import type { DeliveryRow } from '../../contract/control/webhooks.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import { type Delivery, methodOf, type Payment, type Payout, stateOf, statusOf } from '../../domain/model.ts'
import { CANCELLING, deliveryFacets, paymentFacets, payoutFacets, type World } from '../../domain/world.ts'
import type { Account } from '../../engine/account/account.ts'
import type { Request } from '../http/request.ts'
import { anyOf, createdIn, exactly, type Filter, listWindow, one, searchIn } from '../lists.ts'
import { notFound } from '../refusal.ts'
import { SearchIndex } from '../search-index.ts'
import { type ControlHandlers, param } from './control-call.ts'
import { aboutOf, deliveryView, subjectOf } from './views.ts'

/** Lists for the dashboard: filtered, searched, in parts, with only the members that a row shows. */
export function browseCalls() {
  const payments = indexesOf<Payment>({
    list: ({ world }) => world.payments,
    texts: ({ merchantReference, customer }) => [merchantReference, customer.name, customer.email],
    group: payment => [
      ...paymentFacets(payment),
      ...[payment.route?.id ?? '', payment.failure?.code ?? '', payment.script.rule ?? ''],
    ],
  })
  const payouts = indexesOf<Payout>({
    list: ({ world }) => world.payouts,
    texts: ({ merchantReference, recipient }) => [merchantReference, recipient.holderName],
    group: payout => [...payoutFacets(payout), '', payout.failure?.code ?? '', payout.script.rule ?? ''],
  })
  return {
    'GET /accounts/:account/browse/payments': async ({ runtime, request, answer }) => {
      const { account } = runtime
      const index = () => payments(account)
      return answer(
        200,
        await listWindow(request, account.world.payments, index, paymentFilter(request), paymentRow),
      )
    },

    'GET /accounts/:account/browse/payouts': async ({ runtime, request, answer }) => {
      const { account } = runtime
      const index = () => payouts(account)
      return answer(
        200,
        await listWindow(request, account.world.payouts, index, payoutFilter(request), payoutRow),
      )
    },
  } satisfies Partial<ControlHandlers>
}

/** The index of each account, from its first search on. */
function indexesOf<R>(shape: ConstructorParameters<typeof SearchIndex<R>>[1]) {
  const indexes = new WeakMap<Account, SearchIndex<R>>()
  return (account: Account): SearchIndex<R> => {
    const found = indexes.get(account) ?? new SearchIndex<R>(account, shape)
    indexes.set(account, found)
    return found
  }
}

/** What the indexes of payments and payouts have behind the facets. */
const SOUGHT = ['route', 'failure_code', 'rule']

function paymentFilter(request: Request): Filter {
  const names = ['status', 'checkout_mode', 'method', 'currency', 'receipt']
  const wanted = names.map(name => anyOf(request, name))
  const cancelling = one(request, 'cancelling') === 'true'
  return {
    ...createdIn(request),
    facets: facets =>
      wanted.every((isWanted, nth) => isWanted(facets[nth])) &&
      (!cancelling || facets[names.length] === CANCELLING),
    search: searchIn(request, SOUGHT, exactly),
  }
}

function payoutFilter(request: Request): Filter {
  const [country, currency, status] = ['country', 'currency', 'status'].map(name => anyOf(request, name))
  return {
    ...createdIn(request),
    facets: ([ofCountry, ofCurrency, ofStatus]) =>
      !!country?.(ofCountry) && !!currency?.(ofCurrency) && !!status?.(ofStatus),
    search: searchIn(request, SOUGHT, exactly),
  }
}

function deliveryFilter(request: Request): Filter {
  const isWanted = anyOf(request, 'status')
  return {
    ...createdIn(request),
    facets: ([state]) => isWanted(state),
    search: searchIn(request, ['event_type', 'endpoint'], anyOf),
  }
}

const paymentRow = (payment: Payment): PaymentRow => ({
  id: payment.sortKey.id,
  amount: payment.amount,
  currency: payment.currency,
  country: payment.country,
  checkout_mode: payment.checkoutMode,
  merchant_reference: payment.merchantReference,
  payment_method: methodOf(payment),
  status: statusOf(payment),
  cancelled: payment.cancelled,
  cancelling: payment.outcome === null && payment.cancelRequestedAt !== null,
  receipt: payment.receipt?.status ?? null,
  failure_code: payment.failure?.code ?? null,
  customer_name: payment.customer.name ?? null,
  created_at: formatTimestamp(payment.sortKey.createdAt),
  updated_at: formatTimestamp(payment.updatedAt),
})

const payoutRow = (payout: Payout): PayoutRow => ({
  id: payout.sortKey.id,
  amount: payout.amount,
  currency: payout.currency,
  country: payout.country,
  merchant_reference: payout.merchantReference,
  status: payout.status,
  bank_code: payout.recipient.bankCode,
  holder_name: payout.recipient.holderName,
  account_last4: payout.recipient.accountLast4,
  failure_code: payout.failure?.code ?? null,
  created_at: formatTimestamp(payout.sortKey.createdAt),
  updated_at: formatTimestamp(payout.updatedAt),
})

/** Deliveries for the dashboard: newest first, in parts. */
export function deliveryBrowsing() {
  const deliveries = indexesOf<Delivery>({
    list: ({ world }) => world.deliveries,
    texts: (delivery, world) => {
      const record = subjectOf(world, delivery)
      return [delivery.eventId, record?.sortKey.id, record?.merchantReference]
    },
    group: (delivery, { events }) => [
      ...deliveryFacets(delivery),
      ...[events.get(delivery.eventId)?.type ?? '', delivery.endpointId],
    ],
    // The deliveries that wait for this endpoint fail.
    changesOthers: ({ type }) => type === 'EndpointRemoved' || type === 'EndpointDisabled',
  })
  return {
    'GET /accounts/:account/browse/webhook-deliveries': async ({ runtime, request, answer }) => {
      const { account } = runtime
      const { world } = account
      const view = (delivery: Delivery) => deliveryRow(delivery, world)
      const index = () => deliveries(account)
      const filter = deliveryFilter(request)
      return answer(200, await listWindow(request, world.deliveries, index, filter, view))
    },

    'GET /accounts/:account/webhook-deliveries/:id': ({ runtime, request, answer }) => {
      const delivery = runtime.account.world.deliveries.get(param(request, 'id'))
      if (!delivery) throw notFound('webhook delivery')
      return answer(200, {
        ...deliveryView(delivery, runtime),
        fault: delivery.fault,
      })
    },
  } satisfies Partial<ControlHandlers>
}

function deliveryRow(delivery: Delivery, world: World): DeliveryRow {
  const last = delivery.attempts.at(-1)?.result
  return {
    id: delivery.id,
    event: delivery.eventId,
    event_type: world.events.get(delivery.eventId)?.type ?? null,
    ...aboutOf(delivery, world),
    endpoint: delivery.endpointId,
    url: delivery.url,
    status: stateOf(delivery),
    attempts: delivery.attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    next_attempt_at: delivery.nextAttemptAt === null ? null : formatTimestamp(delivery.nextAttemptAt),
    created_at: formatTimestamp(delivery.createdAt),
  }
}
