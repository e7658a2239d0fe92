import type { FaultRule } from '../contract/control/faults.ts'
import type { ProviderRule } from '../contract/control/rules.ts'
import type { PaymentTrigger } from '../contract/statuses.ts'
import { type CatalogueData, indexCatalogue } from './catalogue.ts'
import type { ClockSetting } from './commands.ts'
import type { KeptRefusal } from './events.ts'
import { compileFaults } from './faults.ts'
import type { Count } from './match-limits.ts'
import type { Delivery, Payment, Payout, ProviderCall, WebhookEndpoint, WebhookEvent } from './model.ts'
import { PAYMENT_FORM, type PaymentSnapshot, readPayment, storePayment } from './payment-record.ts'
import { compileRule } from './rules/rule.ts'
import { UNSCRIPTED_PAYOUT } from './script.ts'
import {
  json,
  type Lean,
  type ReadContext,
  type RepeatedParts,
  type StoredForm,
  type StoredPosition,
} from './stored-form.ts'
import type { Timer } from './timers.ts'
import {
  type KeptAnswer,
  MutableWorld,
  type RecordKind,
  type RecordKinds,
  type StoredRecords,
  TABLES,
  type World,
} from './world.ts'

/** A world without the records in its tables, as JSON. */
export interface StoredState {
  readonly seq: number
  readonly moves: number
  readonly at: number
  /** How many records of each kind ever arrived. */
  readonly arrivals: Readonly<Record<RecordKind, number>>
  readonly timersSet: number
  readonly answersSince: number | null
  readonly endpoints: readonly WebhookEndpoint[]
  readonly openDeliveries: readonly string[]
  readonly catalogue: CatalogueData | null
  readonly rules: readonly ProviderRule[] | null
  readonly ruleCounts: readonly (readonly [number, Count])[]
  readonly faults: { readonly setAt: readonly number[]; readonly data: readonly FaultRule[] }
  readonly faultCounts: readonly (readonly [number, Count])[]
  readonly heldDeliveries: readonly (readonly [string, string])[]
  readonly health: readonly (readonly [string, boolean])[]
  readonly clock: ClockSetting | null
}

export const KINDS = Object.keys(TABLES) as RecordKind[]

export function storeState(world: MutableWorld): StoredState {
  const { seq, moves, at, timers, kept, endpoints, rules, catalogue, faults, clock } = world
  return {
    seq,
    moves,
    at,
    arrivals: Object.fromEntries(KINDS.map(kind => [kind, world.table(kind).arrivals])) as Record<
      RecordKind,
      number
    >,
    timersSet: timers.ordinal,
    answersSince: Number.isFinite(kept.since) ? kept.since : null,
    endpoints: [...endpoints.values()],
    openDeliveries: [...world.openDeliveries],
    catalogue: catalogue?.data ?? null,
    rules: rules?.map(({ data }) => data) ?? null,
    ruleCounts: [...world.ruleCounts],
    faults: { setAt: faults.setAt, data: faults.data },
    faultCounts: [...world.faultCounts],
    heldDeliveries: [...world.heldDeliveries],
    health: [...world.health],
    clock,
  }
}

export function restoreWorld(stored: StoredState, records: StoredRecords): MutableWorld {
  const world = new MutableWorld(records)
  world.seq = stored.seq
  world.moves = stored.moves
  world.at = stored.at
  world.timers.ordinal = stored.timersSet
  if (stored.answersSince !== null) world.kept.deleteBefore(stored.answersSince)
  for (const endpoint of stored.endpoints) world.endpoints.set(endpoint.id, endpoint)
  for (const delivery of stored.openDeliveries) world.openDeliveries.add(delivery)
  world.catalogue = stored.catalogue && indexCatalogue(stored.catalogue)
  world.rules = stored.rules?.map(compileRule) ?? null
  world.ruleCounts = new Map(stored.ruleCounts)
  world.faults = compileFaults(stored.faults.data, stored.faults.setAt)
  for (const [fault, count] of stored.faultCounts) world.faultCounts.set(fault, count)
  for (const [endpoint, delivery] of stored.heldDeliveries) world.heldDeliveries.set(endpoint, delivery)
  for (const [provider, healthy] of stored.health) world.health.set(provider, healthy)
  world.clock = stored.clock
  return world
}

type StoredPayout = Omit<Payout, 'sortKey' | 'script' | 'failure' | 'cancelReason'> &
  Lean<Pick<Payout, 'script' | 'failure' | 'cancelReason'>>

const payouts: StoredForm<Payout, StoredPayout> = {
  store: ({ sortKey: _, script, failure, cancelReason, ...payout }) =>
    json<StoredPayout>({
      ...payout,
      script: script === UNSCRIPTED_PAYOUT ? undefined : script,
      failure: failure ?? undefined,
      cancelReason: cancelReason ?? undefined,
    }),
  read: (stored, { id, at, ordinal }) => ({
    sortKey: { id, createdAt: at, ordinal },
    script: UNSCRIPTED_PAYOUT,
    failure: null,
    cancelReason: null,
    ...stored,
  }),
}

/** A payout as another record has it, from some time. */
type PayoutSnapshot = { readonly payout: string } & Pick<Payout, 'status' | 'updatedAt' | 'seq'> &
  Lean<Pick<Payout, 'failure' | 'cancelReason'>>

const storePayout = ({ sortKey, status, failure, cancelReason, updatedAt, seq }: Payout) =>
  json<PayoutSnapshot>({
    payout: sortKey.id,
    status,
    failure: failure ?? undefined,
    cancelReason: cancelReason ?? undefined,
    updatedAt,
    seq,
  })

function readPayout({ payout: id, ...then }: PayoutSnapshot, { payouts: all }: World): Payout {
  const payout = all.get(id)
  if (!payout) throw new Error(`the payout ${id} is missing, which another record names`)
  return { ...payout, failure: null, cancelReason: null, ...then }
}

const storeSubject = (subject: { readonly payment: Payment } | { readonly payout: Payout }) =>
  'payment' in subject ? storePayment(subject.payment) : storePayout(subject.payout)

const readSubject = (then: PaymentSnapshot | PayoutSnapshot, world: World) =>
  'payment' in then ? { payment: readPayment(then, world) } : { payout: readPayout(then, world) }

type StoredAnswer = Pick<KeptAnswer, 'fingerprint' | 'seq'> & {
  readonly answer: PaymentSnapshot | PayoutSnapshot | KeptRefusal
}

const kept: StoredForm<KeptAnswer, StoredAnswer> = {
  store: ({ fingerprint, answer, seq }) => ({
    fingerprint,
    answer: 'code' in answer ? answer : storeSubject(answer),
    seq,
  }),
  read: ({ fingerprint, answer, seq }, { at }, { world }) => ({
    fingerprint,
    at,
    answer: 'code' in answer ? answer : readSubject(answer, world),
    seq,
  }),
}

type StoredEvent = Omit<WebhookEvent, 'id' | 'subject'> & {
  readonly subject: PaymentSnapshot | PayoutSnapshot | Extract<WebhookEvent['subject'], { data: unknown }>
}

const events: StoredForm<WebhookEvent, StoredEvent> = {
  store: ({ id: _, subject, ...event }) => ({
    ...event,
    subject: 'data' in subject ? subject : storeSubject(subject),
  }),
  read: ({ subject, ...event }, { id }, { world }) => ({
    id,
    ...event,
    subject: 'data' in subject ? subject : readSubject(subject, world),
  }),
}

/** A record that is stored as it is, except for its id. */
function plain<T extends { readonly id: string }>(): StoredForm<T, Omit<T, 'id'>> {
  return {
    store: ({ id: _, ...record }) => record,
    read: (stored, { id }) => ({ id, ...stored }) as T,
  }
}

/** Most timers move the payment that is named in their id, so only the trigger is stored. */
type StoredTimer = { readonly trigger: PaymentTrigger } | Pick<Timer, 'command'>

const paymentIn = (timer: string) => timer.slice(0, timer.lastIndexOf(':'))

const timers: StoredForm<Timer, StoredTimer> = {
  store: ({ id, command }) =>
    command.type === 'MovePayment' && command.failure === undefined && command.payment === paymentIn(id)
      ? { trigger: command.trigger }
      : { command },
  read: (stored, { id, at, ordinal }) => ({
    id,
    dueAt: at,
    ordinal,
    command:
      'command' in stored
        ? stored.command
        : { type: 'MovePayment', payment: paymentIn(id), trigger: stored.trigger },
  }),
}

const FORMS = {
  payments: PAYMENT_FORM,
  payouts,
  assets: plain<RecordKinds['assets']>(),
  kept,
  events,
  deliveries: plain<Delivery>(),
  providerCalls: { store: call => call, read: call => call } satisfies StoredForm<ProviderCall, ProviderCall>,
  timers,
}

/** The JSON that is stored for a record. `readRecord` makes the record from it again. */
export function storeRecord<K extends RecordKind>(
  kind: K,
  record: RecordKinds[K],
  parts: RepeatedParts,
): unknown {
  return (FORMS[kind] as unknown as StoredForm<RecordKinds[K], unknown>).store(record, parts)
}

export function readRecord<K extends RecordKind>(
  kind: K,
  stored: unknown,
  position: StoredPosition,
  context: ReadContext,
): RecordKinds[K] {
  return (FORMS[kind] as unknown as StoredForm<RecordKinds[K], unknown>).read(stored, position, context)
}
