import { isDeepStrictEqual } from 'node:util'
import type { RouteEntry } from '../../../../src/domain/catalogue.ts'
import type { Entry } from '../../../../src/domain/events.ts'
import type { Machine, Watch } from '../machine.ts'
import { must } from '../must.ts'
import { SECRETS } from '../provider.ts'

export interface PaymentView {
  readonly [field: string]: unknown
  readonly status: string
  readonly next_action: { readonly type: string; readonly expires_at?: string } | null
  readonly receipt: { readonly status: string } | null
}

export const TERMINAL = ['succeeded', 'failed', 'expired']
const UNCHANGING = [
  'id',
  'object',
  'amount',
  'currency',
  'country',
  'checkout_mode',
  'environment',
  'merchant_reference',
  'created_at',
]

/** Checks payment intents, as the merchant reads them, after each entry. */
export class Payments implements Watch {
  /** The payments as they were last read. */
  readonly #known = new Map<string, { text: string; seq: number }>()

  entry(entry: Entry, machine: Machine): void {
    for (const id of paymentsIn(entry)) this.#look(id, machine, entry)
  }

  step(machine: Machine): void {
    const { payments } = machine.world
    must(payments.size === this.#known.size, 'no payment intent comes or goes without an entry')
    for (const [id, { text }] of this.#known)
      must(read(machine, id) === text, 'an intent reads the same until an entry changes it', { id, text })
  }

  #look(id: string, machine: Machine, { at }: Entry): void {
    const text = read(machine, id)
    const seq = machine.world.payments.get(id)?.seq ?? 0
    const before = this.#known.get(id)
    if (before?.text === text && before.seq === seq) return
    this.#known.set(id, { text, seq })
    const view: PaymentView = JSON.parse(text)
    must(view.updated_at === new Date(at).toISOString(), 'updated_at is when it was last changed', {
      at,
      view,
    })
    if (before) followsFrom(JSON.parse(before.text), view)
    holdsTogether(view, machine.frozen.get(id))
    staysPending(view, machine.world.payments.get(id)?.cancelRequestedAt ?? null)
    must(!SECRETS.test(text), 'nothing of the provider gets out', text)
  }
}

function read(machine: Machine, id: string): string {
  const payment = machine.world.payments.get(id)
  must(payment !== undefined, 'an intent is never lost', id)
  return machine.rendering.payment(payment)
}

function followsFrom(before: PaymentView, now: PaymentView): void {
  if (TERMINAL.includes(before.status))
    must(
      isUnderVerification(before.receipt) && isDeepStrictEqual(ended(before), ended(now)),
      'terminal is final: only a receipt under verification still gets its verdict',
      { before, now },
    )
  for (const field of UNCHANGING)
    must(before[field] === now[field], `${field} never changes`, { before, now })
  must(String(before.updated_at) <= String(now.updated_at), 'updated_at never goes back', { before, now })
  if (before.payment_method !== null)
    must(before.payment_method === now.payment_method, 'a frozen method stays', { before, now })
}

/** The part of a payment that never changes after its end. */
export const ended = ({ receipt, updated_at, ...rest }: PaymentView) => rest

export const isUnderVerification = (receipt: unknown) =>
  (receipt as PaymentView['receipt'])?.status === 'processing'

/** The document says that a payment stays pending during a cancellation, and from a receipt until it is accepted. */
function staysPending(view: PaymentView, cancelRequestedAt: number | null): void {
  const { status, receipt } = view
  if (TERMINAL.includes(status)) return
  must(
    cancelRequestedAt === null || status === 'pending',
    'a payment is pending while a cancellation is in flight',
    view,
  )
  must(
    (receipt?.status !== 'processing' && receipt?.status !== 'rejected') || status === 'pending',
    'a payment is pending while a receipt is verified, or awaits its replacement',
    view,
  )
}

function holdsTogether(view: PaymentView, route: RouteEntry | undefined): void {
  const { status, next_action: action, receipt } = view
  must(
    (action === null) === (status !== 'pending'),
    'next_action is null exactly when processing or terminal',
    view,
  )
  must(
    view.processing_reason === (status === 'processing' ? 'asynchronous' : null),
    'processing_reason is there only while processing',
    view,
  )
  if (action) {
    const type = view.checkout_mode === 'hosted' ? 'redirect_to_url' : route?.action
    must(action.type === type, 'the action is the one of its mode and route', view)
  }
  must(view.payment_method === (route?.method ?? null), 'payment_method is the frozen one, or null', view)
  must(
    (receipt !== null) === (route?.receipt === 'required'),
    'receipt is null exactly when the route takes none',
    view,
  )
  const failed = status === 'failed'
  must((view.failure_code !== null) === failed, 'failure_code is there exactly when failed', view)
  must((view.failure_message !== null) === failed, 'failure_message is there exactly when failed', view)
}

export function paymentsIn({ events }: Entry): Set<string> {
  return new Set(events.flatMap(event => ('payment' in event ? [event.payment] : [])))
}
