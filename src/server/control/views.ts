import type { ClockState, TimerRecord } from '../../contract/control/clock.ts'
import type { JournalEntry } from '../../contract/control/journal.ts'
import type { KeyPairRecord, MerchantRecord } from '../../contract/control/merchants.ts'
import type {
  AssetRecord,
  PaymentRecord,
  PayoutRecord,
  ProviderCallRecord,
} from '../../contract/control/payments.ts'
import type { DeliveryRecord, EndpointRecord, EventRecord } from '../../contract/control/webhooks.ts'
import type { Contract } from '../../contract/decisions.ts'
import { ENVIRONMENTS, type Environment } from '../../contract/statuses.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import { possibleMoves } from '../../domain/decide/move-payment.ts'
import type { Entry } from '../../domain/events.ts'
import { PAYOUT_MOVES, possiblePayoutMoves, targetStatus } from '../../domain/lifecycle.ts'
import {
  type Asset,
  type Delivery,
  type Payment,
  type Payout,
  type ProviderCall,
  recordOf,
  type WebhookEndpoint,
  type WebhookEvent,
} from '../../domain/model.ts'
import type { Timer } from '../../domain/timers.ts'
import { eventView, paymentView, payoutView } from '../../domain/views.ts'
import type { World } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { MerchantRecord as Merchant } from '../../engine/store/merchant-record.ts'

/** Records as the control surface shows them: the merchant's view, and the members that it hides. */

const time = (at: number | null) => (at === null ? null : formatTimestamp(at))

/** `made`: the endpoints that were created with it. */
export function merchantView(
  { id, name, checkoutModes, accounts }: Merchant,
  made: { readonly [E in Environment]?: readonly EndpointRecord[] } = {},
): MerchantRecord {
  return {
    id,
    name,
    checkout_modes: checkoutModes,
    accounts: ENVIRONMENTS.map(environment => {
      const [first, ...more] = accounts[environment].keys
      const endpoints = made[environment]
      return {
        id: `${id}.${environment}`,
        environment,
        public_key: first?.publicKey ?? null,
        secret_key: first?.secretKey ?? null,
        ...(more.length > 0 ? { more_keys: more.map(keyView) } : {}),
        ...(endpoints ? { webhook_endpoints: endpoints } : {}),
      }
    }),
  }
}

export const keyView = (pair: { publicKey: string; secretKey: string }): KeyPairRecord => ({
  public_key: pair.publicKey,
  secret_key: pair.secretKey,
})

export function fullPayment(payment: Payment, { rendering }: AccountRuntime): PaymentRecord {
  const { route, receipt } = payment
  // V8 takes long to define members one by one after a spread of many.
  return Object.assign(paymentView(payment, rendering.lens), {
    customer: payment.customer,
    payment_method_options: payment.options,
    return_url: payment.returnUrl,
    route: route && {
      id: route.id,
      provider: route.provider,
      local_code: route.localCode,
      method: route.method,
      action: route.action,
      takes_receipt: route.takesReceipt,
      cancel_pending: route.cancelPending,
    },
    rule: payment.script.rule,
    instrument: payment.instrument,
    receipt_image: receipt?.digest
      ? { digest: receipt.digest, asset_id: receipt.assetId, submissions: receipt.submissions }
      : null,
    cancel_requested_at: time(payment.cancelRequestedAt),
    cancelled: payment.cancelled,
    expires_at: formatTimestamp(payment.expiresAt),
    moves: movesOfPayment(payment, rendering.lens.contract),
  })
}

export const fullPayout = (payout: Payout, { rendering }: AccountRuntime): PayoutRecord => ({
  ...payoutView(payout, rendering.lens),
  cancel_reason: payout.cancelReason,
  rule: payout.script.rule,
  moves: movesOfPayout(payout),
})

export const assetView = (asset: Asset): AssetRecord => ({
  id: asset.id,
  object: 'asset',
  kind: asset.kind,
  digest: asset.digest,
  size: asset.size,
  content_type: asset.contentType,
  payment: asset.paymentId,
  created_at: formatTimestamp(asset.createdAt),
})

export const endpointView = ({
  id,
  url,
  events,
  secrets,
  disabled,
  createdAt,
}: WebhookEndpoint): EndpointRecord => ({
  id,
  url,
  events,
  secret: secrets[0]?.secret ?? '',
  disabled,
  created_at: formatTimestamp(createdAt),
})

export const eventRecord = (event: WebhookEvent, { rendering }: AccountRuntime): EventRecord => ({
  ...eventView(event, rendering.lens),
  ...('data' in event.subject ? { by: 'hand' } : {}),
})

export function deliveryView(delivery: Delivery, runtime: AccountRuntime): DeliveryRecord {
  const event = runtime.account.world.events.get(delivery.eventId)
  const body = event ? runtime.rendering.event(event) : ''
  return {
    id: delivery.id,
    event: delivery.eventId,
    event_type: event?.type ?? null,
    endpoint: delivery.endpointId,
    url: delivery.url,
    ...aboutOf(delivery, runtime.account.world),
    status: delivery.status,
    next_attempt_at: time(delivery.nextAttemptAt),
    created_at: formatTimestamp(delivery.createdAt),
    attempts: delivery.attempts.map(({ startedAt, result }, at) => ({
      number: at + 1,
      started_at: formatTimestamp(startedAt),
      request: result && {
        method: 'POST',
        url: delivery.url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'paysim',
          'webhook-id': delivery.eventId,
          'webhook-timestamp': String(result.timestamp),
          'webhook-signature': result.signature,
        },
        body,
      },
      response: result && {
        at: formatTimestamp(result.at),
        status: result.status,
        error: result.error,
        retry_after_ms: result.retryAfterMs,
        headers: result.headers ?? null,
        body: result.body,
      },
    })),
  }
}

export const providerCallView = ({
  at,
  call,
  paymentId,
  route,
  digest,
}: ProviderCall): ProviderCallRecord => ({
  at: formatTimestamp(at),
  call,
  payment: paymentId,
  route,
  ...(digest === undefined ? {} : { digest }),
})

/** The payment or payout of its event. */
export function subjectOf(world: World, delivery: Delivery | undefined): Payment | Payout | undefined {
  const event = world.events.get(delivery?.eventId ?? '')
  return event && recordOf(event)
}

export function aboutOf(delivery: Delivery, world: World): Pick<DeliveryRecord, 'record' | 'reference'> {
  const record = subjectOf(world, delivery)
  return { record: record?.sortKey.id ?? null, reference: record?.merchantReference ?? null }
}

/** What a timer is about, in the merchant's words. */
function subjectView(world: World, { command }: TimerRecord): NonNullable<TimerRecord['record']> | null {
  const { payment = '', payout = '', delivery = '' } = command
  const record =
    world.payments.get(payment) ??
    world.payouts.get(payout) ??
    subjectOf(world, world.deliveries.get(delivery))
  if (!record) return null
  const { sortKey, merchantReference, amount, currency } = record
  return { id: sortKey.id, name: merchantReference ?? sortKey.id, amount, currency }
}

export function namedTimer(world: World, timer: Timer) {
  const view = timerView(timer)
  return { ...view, record: subjectView(world, view) }
}

export const timerView = ({ id, dueAt, command }: Timer): TimerRecord => ({
  id,
  due_at: formatTimestamp(dueAt),
  command: { ...command },
})

export const entryView = (entry: Entry): JournalEntry => ({
  ...entry,
  at: formatTimestamp(entry.at),
  events: entry.events.map(event => ({ ...event })),
})

export function clockView({ account }: AccountRuntime): ClockState {
  const { nextAt, size } = account.world.timers
  return {
    mode: account.clock.mode,
    now: formatTimestamp(account.now),
    rate: account.clock.rate,
    next_due: time(nextAt ?? null),
    pending_timers: size,
  }
}

const movesOfPayment = (payment: Payment, contract: Contract): PaymentRecord['moves'] =>
  possibleMoves(payment).map(trigger => ({ trigger, to: targetStatus(trigger, contract) }))

/** They depend on the status alone, so a kept answer has those of its time. */
const movesOfPayout = ({ status }: Payout): PayoutRecord['moves'] =>
  possiblePayoutMoves(status).map(trigger => ({ trigger, to: PAYOUT_MOVES[trigger].to }))
