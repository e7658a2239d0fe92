import { MOST_NAMED } from '../../contract/control/clock.ts'
import { AdvanceBody, ClockBody } from '../../contract/control/requests.ts'
import { LATEST, parseTimestamp } from '../../contract/timestamps.ts'
import type { Timer } from '../../domain/timers.ts'
import { commandLine } from '../../domain/why/answer.ts'
import type { Account } from '../../engine/account/account.ts'
import type { AdvancePlan } from '../../engine/time/time-travel.ts'
import { carryOut, demandAvailable } from '../carry-out.ts'
import { limitIn, rowsFromOldest } from '../lists.ts'
import { notFound, RefusalError, refuse, refuseProblems } from '../refusal.ts'
import { bodyReader, type ControlHandlers, durationIn } from './control-call.ts'
import { rateIn } from './overview.ts'
import { clockView, namedTimer, timerView } from './views.ts'

const readClock = bodyReader<ClockBody>(ClockBody)
const readAdvance = bodyReader<AdvanceBody>(AdvanceBody)

export const clockCalls = {
  'GET /accounts/:account/clock': ({ runtime, answer }) => answer(200, clockView(runtime)),

  'PUT /accounts/:account/clock': async ({ runtime, request, answer }) => {
    const { account } = runtime
    const { mode, now, rate } = await readClock(request)
    const at = now === undefined ? undefined : parseTimestamp(now)
    if (mode === 'virtual' && rate !== undefined)
      throw refuseProblems([{ field: 'rate', message: 'is only for a real clock' }])
    return runtime.time.exclusively(async () => {
      await demandAvailable(runtime)
      if (at !== undefined) demandReachable(account, 'now', at)
      const clock = account.clock.change({ mode, at, rate: rateIn(rate) })
      await carryOut(runtime, { type: 'SetClock', clock }, 'operator')
      await runtime.time.quiet()
      if (runtime.removed) throw notFound('account')
      return answer(200, clockView(runtime))
    })
  },

  'POST /accounts/:account/clock/advance': async ({ runtime, request, answer }) => {
    const body = await readAdvance(request)
    await demandAvailable(runtime)
    const result = await runtime.time.advance(() => journeyOf(body, runtime.account))
    if (runtime.removed) throw notFound('account')
    if ('refused' in result) throw new RefusalError(result.refused)
    const { now, fired, idle, timedOut } = result
    return answer(200, {
      now: new Date(now).toISOString(),
      fired,
      idle,
      ...(timedOut.length === 0 ? {} : { timed_out: timedOut }),
    })
  },

  'GET /accounts/:account/timers': async ({ runtime, request, answer }) => {
    const { world } = runtime.account
    const limit = limitIn(request)
    const view = limit > MOST_NAMED ? timerView : (timer: Timer) => namedTimer(world, timer)
    return answer(200, { data: await rowsFromOldest(world.timers, view, { limit }) })
  },
} satisfies Partial<ControlHandlers>

function journeyOf({ by, to, until, max }: AdvanceBody, account: Account): AdvancePlan {
  if (account.clock.mode === 'real')
    throw refuse(
      'invalid_state',
      `The clock of this account is real, so it cannot be advanced; make it virtual with \`${commandLine(account.id, ['clock', 'set', 'virtual'])}\``,
    )
  if ([by, to, until].filter(goal => goal !== undefined).length !== 1)
    throw refuseProblems([{ field: 'body', message: 'must have exactly one of by, to and until' }])
  if (max !== undefined && until === undefined)
    throw refuseProblems([{ field: 'max', message: 'is only for until' }])
  const { now } = account
  if (by !== undefined) return reach(account, 'by', now + durationIn('by', by))
  if (to !== undefined) {
    return reach(account, 'to', parseTimestamp(to) ?? now)
  }
  const limit = max === undefined ? LATEST : now + durationIn('max', max)
  return { until: 'idle', limit }
}

function reach(account: Account, field: string, at: number): AdvancePlan {
  demandReachable(account, field, at)
  return { until: at, limit: at }
}

function demandReachable({ now }: Account, field: string, at: number): void {
  if (at > LATEST) throw refuseProblems([{ field, message: 'must not be after the year 9999' }])
  if (at < now)
    throw refuseProblems([
      { field, message: `is before ${new Date(now).toISOString()}: time never runs backwards` },
    ])
}
