import type { Catalogue } from './catalogue.ts'
import type { ClockSetting } from './commands.ts'
import type { KeptRefusal } from './events.ts'
import { type FaultPlan, NO_FAULTS } from './faults.ts'
import type { Facets } from './list-index.ts'
import type { Count } from './match-limits.ts'
import {
  type Asset,
  type Delivery,
  methodOf,
  type Payment,
  type Payout,
  type ProviderCall,
  stateOf,
  statusOf,
  type WebhookEndpoint,
  type WebhookEvent,
} from './model.ts'
import type { Rule } from './rules/rule.ts'
import {
  type ListedRecords,
  type NamedRecords,
  type Records,
  type Stored,
  Table,
  type TableShape,
} from './table.ts'
import { TIMERS, type Timer, Timers } from './timers.ts'

/** The stored answer of an idempotency key: the record as it was then, or the refusal. */
export interface KeptAnswer {
  readonly fingerprint: string
  readonly at: number
  readonly answer: { readonly payment: Payment } | { readonly payout: Payout } | KeptRefusal
  readonly seq: number
}

/** An account's state, read-only for everything except `apply`. */
export interface World {
  readonly seq: number
  /**
   * The number of entries without the courier's. Ids derive from it, so that the timing of receivers does not change
   * them.
   */
  readonly moves: number
  /** The time of the last entry. */
  readonly at: number
  readonly payments: ListedRecords<Payment>
  readonly payouts: ListedRecords<Payout> & NamedRecords<Payout>
  readonly assets: Records<Asset>
  readonly kept: Records<KeptAnswer>
  readonly endpoints: ReadonlyMap<string, WebhookEndpoint>
  readonly events: Records<WebhookEvent>
  readonly deliveries: ListedRecords<Delivery>
  /** The deliveries whose last attempt has not ended. */
  readonly openDeliveries: ReadonlySet<string>
  readonly providerCalls: NamedRecords<ProviderCall>
  readonly timers: Pick<Timers, 'size' | 'next' | 'nextAt' | 'get' | 'items' | 'dueBefore'>
  /** The account's own catalogue; null for the server's. */
  readonly catalogue: Catalogue | null
  /** The account's own rules; null for the standard ones. */
  readonly rules: readonly Rule[] | null
  /** By index in the rules in force. */
  readonly ruleCounts: ReadonlyMap<number, Count>
  readonly faults: FaultPlan
  /** For webhook faults, by index; the server counts calls. */
  readonly faultCounts: ReadonlyMap<number, Count>
  /** By endpoint, the delivery that waits for another to overtake it. */
  readonly heldDeliveries: ReadonlyMap<string, string>
  /** Providers whose health was set by hand, which overrides the catalogue. */
  readonly health: ReadonlyMap<string, boolean>
  readonly clock: ClockSetting | null
}

/** The records that a world keeps in tables, by the names of the tables. */
export interface RecordKinds {
  readonly payments: Payment
  readonly payouts: Payout
  readonly assets: Asset
  readonly kept: KeptAnswer
  readonly events: WebhookEvent
  readonly deliveries: Delivery
  readonly providerCalls: ProviderCall
  readonly timers: Timer
}

export type RecordKind = keyof RecordKinds

/** The records of each table that are not in its memory. */
export type StoredRecords = { readonly [K in RecordKind]: Stored<RecordKinds[K]> }

export const paymentFacets = (payment: Payment): Facets => [
  statusOf(payment),
  payment.checkoutMode,
  methodOf(payment) ?? '',
  payment.currency,
  payment.receipt?.status ?? '',
  payment.outcome === null && payment.cancelRequestedAt !== null ? CANCELLING : '',
]
/** The facet of an open payment whose cancellation was not answered yet. */
export const CANCELLING = 'cancelling'
/** Its endpoint only while it is failing: over time, there may be many endpoints. */
export function deliveryFacets(delivery: Delivery): Facets {
  const state = stateOf(delivery)
  return [state, state === 'failing' ? delivery.endpointId : '']
}
export const payoutFacets = ({ country, currency, status }: Payout): Facets => [country, currency, status]

export const TABLES: { readonly [K in RecordKind]: TableShape<RecordKinds[K]> } = {
  payments: {
    at: ({ sortKey }) => sortKey.createdAt,
    ordinal: ({ sortKey }) => sortKey.ordinal,
    facets: paymentFacets,
  },
  payouts: {
    at: ({ sortKey }) => sortKey.createdAt,
    ordinal: ({ sortKey }) => sortKey.ordinal,
    facets: payoutFacets,
    word: ({ merchantReference }) => merchantReference,
  },
  assets: {},
  kept: { at: ({ at }) => at },
  events: {},
  deliveries: {
    at: ({ createdAt }) => createdAt,
    facets: deliveryFacets,
    changesSoon: ({ status }) => status === 'attempting',
  },
  providerCalls: { word: ({ paymentId }) => paymentId },
  timers: TIMERS,
}

/** The same state, writable for `apply`. */
export class MutableWorld implements World {
  seq = 0
  moves = 0
  at = 0
  readonly payments: Table<Payment>
  readonly payouts: Table<Payout>
  readonly assets: Table<Asset>
  readonly kept: Table<KeptAnswer>
  readonly events: Table<WebhookEvent>
  readonly deliveries: Table<Delivery>
  readonly providerCalls: Table<ProviderCall>
  readonly timers: Timers
  readonly endpoints = new Map<string, WebhookEndpoint>()
  readonly openDeliveries = new Set<string>()
  catalogue: Catalogue | null = null
  rules: readonly Rule[] | null = null
  ruleCounts = new Map<number, Count>()
  faults: FaultPlan = NO_FAULTS
  faultCounts = new Map<number, Count>()
  readonly heldDeliveries = new Map<string, string>()
  readonly health = new Map<string, boolean>()
  clock: ClockSetting | null = null

  constructor(stored?: StoredRecords) {
    this.payments = new Table(TABLES.payments, stored?.payments)
    this.payouts = new Table(TABLES.payouts, stored?.payouts)
    this.assets = new Table(TABLES.assets, stored?.assets)
    this.kept = new Table(TABLES.kept, stored?.kept)
    this.events = new Table(TABLES.events, stored?.events)
    this.deliveries = new Table(TABLES.deliveries, stored?.deliveries)
    this.providerCalls = new Table(TABLES.providerCalls, stored?.providerCalls)
    this.timers = new Timers(stored?.timers)
  }

  table<K extends RecordKind>(kind: K): Table<RecordKinds[K]> {
    const table = kind === 'timers' ? this.timers.table : this[kind as Exclude<RecordKind, 'timers'>]
    return table as unknown as Table<RecordKinds[K]>
  }
}
