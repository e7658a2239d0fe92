import { signal } from '@preact/signals'
import type { ClockState } from '../../../contract/control/clock.ts'

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
