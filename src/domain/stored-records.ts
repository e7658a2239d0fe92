import type { PaymentTrigger } from './lifecycle.ts'
import type { Delivery, Payment, Payout, ProviderCall, WebhookEvent } from './model.ts'
import { PAYMENT_FORM, type PaymentThen, readPayment, storePayment } from './payment-record.ts'
import type { RepeatedParts } from './repeated-parts.ts'
import { UNSCRIPTED_PAYOUT } from './script.ts'
import { type Form, json, type Lean, type ReadContext, type StoredPosition } from './stored-form.ts'
import type { Timer } from './timers.ts'
import type { KeptAnswer, RecordKind, RecordKinds, World } from './world.ts'

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

/** A payout as another record has it, from some time. */
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
  payments: PAYMENT_FORM,
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
