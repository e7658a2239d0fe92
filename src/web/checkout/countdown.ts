import { clockFace, spellTime } from '../../contract/time-left.ts'
import { accountNow, isRunning } from './clock.ts'

const TICK_MS = 250

/** Updates the times on the page, and reloads the payment when the page's own time has run out. */
export function countDown(look: () => void): void {
  const done = new WeakSet<Element>()
  const tick = () => {
    for (const time of document.querySelectorAll<HTMLElement>('[data-until]')) {
      const left = Number(time.dataset.until) - accountNow()
      const text =
        time.dataset.as === 'clock' ? clockFace(left) : spellTime(left, document.documentElement.lang)
      if (time.textContent !== text) time.textContent = text
      if (left > 0 || !isRunning() || done.has(time)) continue
      done.add(time)
      look()
    }
  }
  setInterval(tick, TICK_MS)
  tick()
}
