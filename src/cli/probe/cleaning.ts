import { fill } from '../../client/address.ts'
import type { Answer } from '../../client/answer-type.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import { CHANGES, contradictsCancellation } from './changes.ts'
import { CREATIONS, isCreated } from './creations.ts'
import { type Found, type Inquiry, isSuccess, member, shownAnswer } from './inquiry.ts'

/** A payment that a probe made. */
export interface Made {
  readonly id: string
  readonly merchant_reference: string | null
  /** Whether its cancellation was accepted, or it has already ended. */
  readonly cancelled: boolean
  readonly why: string | null
  /** When it would have ended by itself, as far as the server says so. */
  readonly ends_at: string | null
}

/** The requests that cancelled a payment already, by the request that made it. */
export const CANCELLED_BY: Readonly<Record<string, string>> = {
  transfer: 'cancel during receipt',
  hosted: 'cancel without a method',
}

/** The pauses between reads of a payment that is being cancelled. */
const PAUSES_MS = [1000, 2000, 3000, 4000, 5000]

const FINAL = new Set(['succeeded', 'failed', 'expired'])

/** Cancels what the probe made. `earlier` has what could not be cancelled before, which may be possible now. */
export async function cancelMade(inquiry: Inquiry, earlier: readonly Made[] = []): Promise<readonly Made[]> {
  const made = new Map(earlier.map(record => [record.id, record]))
  const round = earlier.length === 0 ? 1 : 2
  for (const name of Object.keys({ ...CREATIONS, ...CHANGES })) {
    const created = inquiry.seen.answer(name)
    if (!isPayment(created)) continue
    const id = String(member(created.body, 'id'))
    const before = made.get(id)
    if (before && (round === 1 || before.why !== '422 invalid_state')) continue
    const asked = inquiry.seen.answer(CANCELLED_BY[name] ?? '')
    const isSettled = round === 1 && (isSuccess(asked) || name === 'hosted')
    const answer = isSettled ? asked : await cancel(inquiry, name, { id, round })
    const why = isSuccess(answer) ? null : answer ? shownAnswer(answer) : (inquiry.end ?? 'no answer')
    made.set(id, madeOf(id, created.body, why))
  }
  return [...made.values()]
}

/** `why` is why its cancellation was not accepted; null if it was. */
export const madeOf = (id: string, payment: unknown, why: string | null): Made => ({
  id,
  merchant_reference: textOf(member(payment, 'merchant_reference')),
  ends_at: textOf(member(payment, 'next_action', 'expires_at')),
  cancelled: why === null,
  why,
})

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

/** Not an answer about a payment, such as to a receipt, that was made under another name. */
const isPayment = (answer: Answer | undefined): answer is Answer<object> =>
  isCreated(answer) && member(answer.body, 'object') === 'payment_intent'

async function cancel(
  inquiry: Inquiry,
  name: string,
  { id, round }: { readonly id: string; readonly round: number },
): Promise<Answer | undefined> {
  const path = fill(OPERATION_PATHS.cancelPayment.path, { id })
  return inquiry.request(`cancel ${name}${round === 1 ? '' : ' again'}`, {
    writes: 'asks to cancel a payment that the probe made',
    make: () => ({ method: 'POST', path, body: {} }),
    contradiction: contradictsCancellation,
  })
}

/** Reads one cancelled payment until it has ended, for a while. */
export async function afterCancel(
  inquiry: Inquiry,
  made: readonly Made[],
  sleep: (ms: number) => Promise<void>,
): Promise<Found> {
  const key = 'payment.after_cancel'
  const cancelled = made.filter(record => record.cancelled)
  const first = cancelled.find(({ ends_at }) => ends_at !== null) ?? cancelled[0]
  if (!first) return { key, evidence: [], reading: { why: inquiry.end ?? 'no payment could be cancelled' } }
  const path = fill(OPERATION_PATHS.getPayment.path, { id: first.id })
  const names: string[] = []
  for (const [at, pause] of [0, ...PAUSES_MS].entries()) {
    if (pause > 0) await sleep(pause)
    const name = `cancelled ${first.id} ${at}`
    names.push(name)
    const answer = await inquiry.request(name, { make: () => ({ method: 'GET', path }) })
    if (!answer || FINAL.has(String(member(answer.body, 'status')))) break
  }
  return inquiry.ask({
    key,
    requests: names.slice(-1),
    read: seen => {
      const body = seen.answer(names.at(-1) ?? '')?.body
      const status = member(body, 'status')
      if (status === 'failed') return { value: 'failed' }
      if (status !== 'expired')
        return { why: `the payment was ${status} after ${PAUSES_MS.reduce((a, b) => a + b) / 1000} s` }
      // A payment whose time was over says nothing about cancellations.
      return Date.parse(String(member(body, 'updated_at'))) < Date.parse(String(first.ends_at))
        ? { value: 'expired' }
        : { why: 'the payment expired, perhaps by itself' }
    },
  })
}
