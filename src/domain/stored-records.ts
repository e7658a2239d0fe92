import { UNTOUCHED_PAYMENT } from './apply-payment.ts'
import type { PaymentTrigger } from './lifecycle.ts'
import type { Position } from './list-index.ts'
import type { Delivery, FrozenRoute, Payment, Payout, ProviderCall, Receipt, WebhookEvent } from './model.ts'
import type { RepeatedParts } from './repeated-parts.ts'
import { type PaymentScript, UNSCRIPTED_PAYMENT, UNSCRIPTED_PAYOUT } from './script.ts'
import type { Timer } from './timers.ts'
import type { KeptAnswer, RecordKind, RecordKinds, World } from './world.ts'

/** Where a stored record is in the list. Its id and its position are not part of its JSON. */
export interface StoredPosition extends Position {
  readonly id: string
}

/** What `read` needs in addition to the stored record. */
interface ReadContext {
  readonly world: World
  readonly parts: RepeatedParts
}

/** How a kind of record is stored as JSON, and read again. */
interface Form<T, S> {
  store(record: T, parts: RepeatedParts): S
  read(stored: S, position: StoredPosition, context: ReadContext): T
}

type Lean<T> = { readonly [M in keyof T]?: T[M] }

/** `JSON.stringify` leaves out undefined members. */
const json = <S>(members: { readonly [M in keyof S]: S[M] | undefined }) => members as S

type Untouched = keyof typeof UNTOUCHED_PAYMENT
type Essential = Exclude<keyof Payment, Untouched | 'sortKey'>
type Shared = 'route' | 'script' | 'receipt'
type StoredPayment = Pick<Payment, Essential> &
  Lean<Pick<Payment, Exclude<Untouched, Shared>>> & {
    /** The names of repeated parts. */
    readonly route?: string
    readonly script?: string
    readonly receipt?: StoredReceipt
  }

type StoredReceipt = Pick<Receipt, 'status'> & Lean<Omit<Receipt, 'status'>>

const storeReceipt = ({ status, submissions, digest, assetId, rejection }: Receipt) =>
  json<StoredReceipt>({
    status,
    submissions: submissions || undefined,
    digest: digest ?? undefined,
    assetId: assetId ?? undefined,
    rejection: rejection ?? undefined,
  })

const readReceipt = (stored: StoredReceipt): Receipt => ({
  submissions: 0,
  digest: null,
  assetId: null,
  rejection: null,
  ...stored,
})

const orNothing = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value

/** Left out if it is as in a payment to which nothing has happened. */
const touched = <M extends keyof typeof UNTOUCHED_PAYMENT>(payment: Payment, member: M) =>
  payment[member] === UNTOUCHED_PAYMENT[member] ? undefined : payment[member]

const payments: Form<Payment, StoredPayment> = {
  store: (payment, parts) =>
    json<StoredPayment>({
      amount: payment.amount,
      currency: payment.currency,
      country: payment.country,
      checkoutMode: payment.checkoutMode,
      merchantReference: touched(payment, 'merchantReference'),
      customer: orNothing(payment.customer),
      options: orNothing(payment.options),
      returnUrl: touched(payment, 'returnUrl'),
      methodGiven: touched(payment, 'methodGiven'),
      instrument: touched(payment, 'instrument'),
      outcome: touched(payment, 'outcome'),
      cancelled: touched(payment, 'cancelled'),
      failure: touched(payment, 'failure'),
      action: touched(payment, 'action'),
      cancelRequestedAt: touched(payment, 'cancelRequestedAt'),
      expiresAt: payment.expiresAt,
      updatedAt: payment.updatedAt,
      seq: payment.seq,
      route: payment.route ? parts.nameOf(payment.route, payment.route.id) : undefined,
      script:
        payment.script === UNSCRIPTED_PAYMENT
          ? undefined
          : parts.nameOf(payment.script, payment.script.rule ?? 'script'),
      receipt: payment.receipt ? storeReceipt(payment.receipt) : undefined,
    }),
  // Written out, because a copy with other members takes ten times as long.
  read: (stored, { id, at, ordinal }, { parts }) => ({
    sortKey: { id, createdAt: at, ordinal },
    amount: stored.amount,
    currency: stored.currency,
    country: stored.country,
    checkoutMode: stored.checkoutMode,
    merchantReference: stored.merchantReference ?? UNTOUCHED_PAYMENT.merchantReference,
    customer: stored.customer ?? UNTOUCHED_PAYMENT.customer,
    options: stored.options ?? UNTOUCHED_PAYMENT.options,
    returnUrl: stored.returnUrl ?? UNTOUCHED_PAYMENT.returnUrl,
    methodGiven: stored.methodGiven ?? UNTOUCHED_PAYMENT.methodGiven,
    route: stored.route === undefined ? UNTOUCHED_PAYMENT.route : parts.part<FrozenRoute>(stored.route),
    instrument: stored.instrument ?? UNTOUCHED_PAYMENT.instrument,
    script: stored.script === undefined ? UNTOUCHED_PAYMENT.script : parts.part<PaymentScript>(stored.script),
    outcome: stored.outcome ?? UNTOUCHED_PAYMENT.outcome,
    cancelled: stored.cancelled ?? UNTOUCHED_PAYMENT.cancelled,
    failure: stored.failure ?? UNTOUCHED_PAYMENT.failure,
    action: stored.action ?? UNTOUCHED_PAYMENT.action,
    receipt: stored.receipt ? readReceipt(stored.receipt) : UNTOUCHED_PAYMENT.receipt,
    cancelRequestedAt: stored.cancelRequestedAt ?? UNTOUCHED_PAYMENT.cancelRequestedAt,
    expiresAt: stored.expiresAt,
    updatedAt: stored.updatedAt,
    seq: stored.seq,
  }),
}

type StoredPayout = Omit<Payout, 'sortKey' | 'script' | 'failure' | 'cancelReason'> &
  Lean<Pick<Payout, 'script' | 'failure' | 'cancelReason'>>

const payouts: Form<Payout, StoredPayout> = {
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

/** A record as it was at some time: its id, and what can change about it later. */
type PaymentThen = { readonly payment: string } & Pick<Payment, 'expiresAt' | 'updatedAt' | 'seq'> &
  Lean<Pick<Payment, 'outcome' | 'cancelled' | 'failure' | 'action' | 'cancelRequestedAt'>> & {
    readonly receipt?: StoredReceipt
    /** The method was not chosen yet, so the payer could still add to the customer. */
    readonly unrouted?: UnroutedPayment
  }

type UnroutedPayment = Lean<Pick<Payment, 'customer'>>

const storePayment = (payment: Payment) =>
  json<PaymentThen>({
    payment: payment.sortKey.id,
    unrouted: payment.route ? undefined : json<UnroutedPayment>({ customer: orNothing(payment.customer) }),
    outcome: payment.outcome ?? undefined,
    cancelled: payment.cancelled || undefined,
    failure: payment.failure ?? undefined,
    action: payment.action ?? undefined,
    receipt: payment.receipt ? storeReceipt(payment.receipt) : undefined,
    cancelRequestedAt: payment.cancelRequestedAt ?? undefined,
    expiresAt: payment.expiresAt,
    updatedAt: payment.updatedAt,
    seq: payment.seq,
  })

function readPayment(
  { payment: id, unrouted, receipt: stored, ...then }: PaymentThen,
  world: World,
): Payment {
  const payment = world.payments.get(id)
  if (!payment) throw new Error(`the payment ${id} is missing, which another record names`)
  const { outcome, cancelled, failure, action, cancelRequestedAt } = UNTOUCHED_PAYMENT
  const receipt = stored ? readReceipt(stored) : null
  const { customer, options, methodGiven, route, instrument, script } = UNTOUCHED_PAYMENT
  return {
    ...payment,
    ...{ outcome, cancelled, failure, action, receipt, cancelRequestedAt },
    ...(unrouted ? { options, methodGiven, route, instrument, script, customer, ...unrouted } : {}),
    ...then,
  }
}

type PayoutThen = { readonly payout: string } & Pick<Payout, 'status' | 'updatedAt' | 'seq'> &
  Lean<Pick<Payout, 'failure' | 'cancelReason'>>

const storePayout = ({ sortKey, status, failure, cancelReason, updatedAt, seq }: Payout) =>
  json<PayoutThen>({
    payout: sortKey.id,
    status,
    failure: failure ?? undefined,
    cancelReason: cancelReason ?? undefined,
    updatedAt,
    seq,
  })

function readPayout({ payout: id, ...then }: PayoutThen, { payouts: all }: World): Payout {
  const payout = all.get(id)
  if (!payout) throw new Error(`the payout ${id} is missing, which another record names`)
  return { ...payout, failure: null, cancelReason: null, ...then }
}

type StoredAnswer = Pick<KeptAnswer, 'fingerprint' | 'seq'> & {
  readonly answer: PaymentThen | Exclude<KeptAnswer['answer'], { payment: Payment }>
}

const kept: Form<KeptAnswer, StoredAnswer> = {
  store: ({ fingerprint, answer, seq }) => ({
    fingerprint,
    answer: 'payment' in answer ? storePayment(answer.payment) : answer,
    seq,
  }),
  read: ({ fingerprint, answer, seq }, { at }, { world }) => ({
    fingerprint,
    at,
    answer: 'payment' in answer ? { payment: readPayment(answer, world) } : answer,
    seq,
  }),
}

type StoredEvent = Omit<WebhookEvent, 'id' | 'subject'> & { readonly subject: PaymentThen | PayoutThen }

const events: Form<WebhookEvent, StoredEvent> = {
  store: ({ id: _, subject, ...event }) => ({
    ...event,
    subject: 'payment' in subject ? storePayment(subject.payment) : storePayout(subject.payout),
  }),
  read: ({ subject, ...event }, { id }, { world }) => ({
    id,
    ...event,
    subject:
      'payment' in subject
        ? { payment: readPayment(subject, world) }
        : { payout: readPayout(subject, world) },
  }),
}

/** A record that is stored as it is, except for its id. */
function plain<T extends { readonly id: string }>(): Form<T, Omit<T, 'id'>> {
  return {
    store: ({ id: _, ...record }) => record,
    read: (stored, { id }) => ({ id, ...stored }) as T,
  }
}

/** Most timers move the payment that is named in their id, so only the trigger is stored. */
type StoredTimer = { readonly trigger: PaymentTrigger } | Pick<Timer, 'command'>

const paymentIn = (timer: string) => timer.slice(0, timer.lastIndexOf(':'))

const timers: Form<Timer, StoredTimer> = {
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
  payments,
  payouts,
  assets: plain<RecordKinds['assets']>(),
  kept,
  events,
  deliveries: plain<Delivery>(),
  providerCalls: { store: call => call, read: call => call } satisfies Form<ProviderCall, ProviderCall>,
  timers,
}

/** The JSON that is stored for a record. `readRecord` makes the record from it again. */
export function storeRecord<K extends RecordKind>(
  kind: K,
  record: RecordKinds[K],
  parts: RepeatedParts,
): unknown {
  return (FORMS[kind] as unknown as Form<RecordKinds[K], unknown>).store(record, parts)
}

export function readRecord<K extends RecordKind>(
  kind: K,
  stored: unknown,
  position: StoredPosition,
  context: ReadContext,
): RecordKinds[K] {
  return (FORMS[kind] as unknown as Form<RecordKinds[K], unknown>).read(stored, position, context)
}
