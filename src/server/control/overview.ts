import type { LoggedRequest } from '../../contract/control/journal.ts'
import type { Overview } from '../../contract/control/overview.ts'
import { DELIVERY_STATUSES, PAYMENT_STATUSES, PAYOUT_STATUSES } from '../../contract/statuses.ts'
import { FROM_THE_TOP } from '../../domain/list-index.ts'
import { statusOf } from '../../domain/model.ts'
import type { World } from '../../domain/world.ts'
import { bucketsOf, quantile, valuesIn } from './buckets.ts'
import { type ControlHandlers, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'
import { clockView } from './views.ts'

/** How many of the newest records the charts show; the rest is only in the totals. */
const MOST_DRAWN = 50_000

/** A summary of an account. */
export function overviewCalls({ gateway, requests }: ControlSettings) {
  return {
    'GET /accounts/:account/overview': (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const { world, now } = runtime.account
      return answer(200, {
        clock: clockView(runtime),
        payments: {
          total: world.payments.size,
          by_status: tally(PAYMENT_STATUSES, status => world.payments.count(facets => facets[0] === status)),
          over_time: paymentsOverTime(world, now),
        },
        payouts: {
          total: world.payouts.size,
          by_status: tally(PAYOUT_STATUSES, status => world.payouts.count(facets => facets[2] === status)),
        },
        webhooks: webhooks(world, now),
        requests: requestRates(requests.of(runtime)),
      })
    },
  } satisfies Partial<ControlHandlers>
}

const tally = (kinds: readonly string[], count: (kind: string) => number) =>
  Object.fromEntries(kinds.map(kind => [kind, count(kind)]))

function paymentsOverTime(world: World, now: number) {
  const drawn: { at: number; kind: string }[] = []
  for (const { at, record } of world.payments.below(FROM_THE_TOP, () => true)) {
    drawn.push({ at, kind: statusOf(record) })
    if (drawn.length === MOST_DRAWN) break
  }
  return bucketsOf(PAYMENT_STATUSES, drawn, now)
}

function webhooks({ deliveries, endpoints }: World, now: number): Overview['webhooks'] {
  const all = [...deliveries.values()]
  const counts = new Map<string, number>()
  for (const { status } of all) counts.set(status, (counts.get(status) ?? 0) + 1)
  const attempts = all.slice(-MOST_DRAWN).flatMap(({ attempts: tried }) =>
    tried.flatMap(({ startedAt, result }) => {
      if (!result) return []
      const { status } = result
      return [
        { at: startedAt, kind: status !== null && status >= 200 && status < 300 ? 'succeeded' : 'failed' },
      ]
    }),
  )
  return {
    endpoints: endpoints.size,
    by_status: tally(DELIVERY_STATUSES, status => counts.get(status) ?? 0),
    attempts_over_time: bucketsOf(['succeeded', 'failed'], attempts, now),
  }
}

/** By the wall clock, because the server's speed does not depend on the account's time. */
function requestRates(log: readonly LoggedRequest[]): Overview['requests'] {
  const logged = log.map(({ wall_at, status, ms }) => ({ at: Date.parse(wall_at), status, value: ms }))
  const last = logged[0]?.at ?? 0
  const kindOf = (status: number) =>
    status >= 500 ? 'server_errors' : status >= 400 ? 'client_errors' : 'succeeded'
  const kinds = logged.map(({ at, status }) => ({ at, kind: kindOf(status) }))
  const over_time = bucketsOf(['succeeded', 'client_errors', 'server_errors'], kinds, last)
  const times = over_time ? valuesIn(over_time, logged) : []
  const all = logged.map(({ value }) => value)
  return {
    logged: logged.length,
    p50_ms: quantile(all, 0.5),
    p95_ms: quantile(all, 0.95),
    over_time,
    p50_over_time: times.map(row => quantile(row, 0.5)),
    p95_over_time: times.map(row => quantile(row, 0.95)),
  }
}
