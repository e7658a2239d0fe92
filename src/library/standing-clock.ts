import { Call } from '../client/call.ts'
import { callSite, withCallSite } from '../client/caller.ts'
import type { AccountControl } from '../client/control-client.ts'
import { type Client, WaitTimeoutError } from '../client/index.ts'
import { formatDuration } from '../contract/durations.ts'

/**
 * The default wait if the clock stands still and no webhook is in progress. It is long enough for a test that waits
 * first and acts then, and shorter than the timeout of test runners, whose message says less.
 */
export const STANDING_PATIENCE_MS = 2000

/** Explains why nothing happens and what to do; undefined if something may be in progress. */
export async function whyNothingArrives(account: AccountControl): Promise<string | undefined> {
  try {
    const { mode, now } = await account.clock.get()
    if (mode !== 'virtual') return undefined
    const [deliveries, timers] = await Promise.all([account.deliveries(), account.timers()])
    const isUnderWay = deliveries.some(
      ({ status, next_attempt_at: next }) =>
        status === 'attempting' ||
        (status === 'pending' && next !== null && Date.parse(next) <= Date.parse(now)),
    )
    if (isUnderWay) return undefined
    const standing = `The clock of ${account.id} stands still at ${now}`
    const [next] = timers
    if (!next)
      return `${standing}, and nothing is due: act on a payment, for example with account.payments.succeed(id)`
    const goal = formatDuration(Math.max(1, Date.parse(next.due_at) - Date.parse(now)))
    return `${standing}; the next timer is due in ${goal}: call account.clock.advance('${goal}')`
  } catch {
    // If the hint cannot be found, the call does not fail because of that.
    return undefined
  }
}

/** A client for an account whose clock may stand still: the error of its `wait` says how to move time. */
export function withClockHints(client: Client, account: AccountControl): Client {
  const wait: Client['payments']['wait'] = (id, options) => {
    const waiting = async () => {
      const timeoutMs =
        options?.timeoutMs ?? ((await whyNothingArrives(account)) ? STANDING_PATIENCE_MS : undefined)
      try {
        return await client.payments.wait(id, { ...options, timeoutMs }).answer()
      } catch (error) {
        if (!(error instanceof WaitTimeoutError)) throw error
        const why = await whyNothingArrives(account)
        throw why === undefined ? error : new WaitTimeoutError(`${error.message}. ${why}`, error.answer)
      }
    }
    return new Call(withCallSite(callSite(), waiting()))
  }
  return Object.freeze({ ...client, payments: { ...client.payments, wait } })
}
