import { Call } from '../client/call.ts'
import { callSite, pointing } from '../client/call-site.ts'
import type { AccountControl } from '../client/control-client.ts'
import { type Client, WaitTimeoutError } from '../client/index.ts'
import { formatDuration } from '../contract/durations.ts'

/**
 * How long is waited, unless a call says otherwise, where the clock stands still and nothing is under way. Long enough
 * for a test that waits first and acts then; shorter than the time-out of any test runner, whose message says less.
 */
export const STANDING_PATIENCE_MS = 2000

/** Why nothing comes by itself, and what would bring something; undefined where something may be under way. */
export async function whyNothingComes(account: AccountControl): Promise<string | undefined> {
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
    // A hint that cannot be given is no fault of the call.
    return undefined
  }
}

/** The merchant's client of an account whose clock may stand still: its `wait` says what moves time. */
export function sayingWhatMovesTime(client: Client, account: AccountControl): Client {
  const wait: Client['payments']['wait'] = (id, options) => {
    const waiting = async () => {
      const timeoutMs =
        options?.timeoutMs ?? ((await whyNothingComes(account)) ? STANDING_PATIENCE_MS : undefined)
      try {
        return await client.payments.wait(id, { ...options, timeoutMs }).answer()
      } catch (error) {
        if (!(error instanceof WaitTimeoutError)) throw error
        const why = await whyNothingComes(account)
        throw why === undefined ? error : new WaitTimeoutError(`${error.message}. ${why}`, error.answer)
      }
    }
    return new Call(pointing(callSite(), waiting()))
  }
  return Object.freeze({ ...client, payments: { ...client.payments, wait } })
}
