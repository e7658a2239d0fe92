import { signal } from '@preact/signals'
import type { ClockState } from '../../../contract/control/clock.ts'
import type { AdvanceBody } from '../../../contract/control/requests.ts'
import { dateTimeText } from '../format.ts'
import { call } from './api.ts'
import { toast } from './toasts.ts'

const reading = signal<{ readonly clock: ClockState; readonly readAt: number } | null>(null)
/** The account's time, updated often enough for a displayed clock. */
export const accountNow = signal<number | null>(null)

export function setClock(clock: ClockState): void {
  reading.value = { clock, readAt: performance.now() }
  tick()
}

function tick(): void {
  const current = reading.value
  if (!current) return
  const { clock, readAt } = current
  const passed = clock.mode === 'real' ? (performance.now() - readAt) * clock.rate : 0
  accountNow.value = Date.parse(clock.now) + passed
}

window.setInterval(tick, 1000)

/** Advances a virtual clock, and says what happened. */
export async function advanceClock(account: string, goal: AdvanceBody): Promise<void> {
  const input = { params: { account }, body: goal }
  const { now, fired, timed_out = [] } = await call('POST /accounts/:account/clock/advance', input)
  toast(`The time is ${dateTimeText(Date.parse(now))}; ${fired} ${fired === 1 ? 'timer' : 'timers'} fired`)
  if (timed_out.length > 0) toast(`No answer in time to ${timed_out.join(', ')}`, 'bad')
}
