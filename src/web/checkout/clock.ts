import { spellTime, timeLeft } from '../../contract/durations.ts'

const TICK_MS = 250

/** The account's time: the last known one, running at the speed of the account's clock. */
let heard = { now: 0, rate: 0, at: 0 }

export function setClock(now: number, rate: number): void {
  heard = { now, rate, at: performance.now() }
}

const accountNow = () => heard.now + (performance.now() - heard.at) * heard.rate

const isRunning = () => heard.rate > 0

/** Updates the times on the page, and reloads the payment when the page's own time has run out. */
export function countDown(look: () => void): void {
  const done = new WeakSet<Element>()
  const tick = () => {
    const { lang } = document.documentElement
    for (const time of document.querySelectorAll<HTMLElement>('[data-until]')) {
      const left = Number(time.dataset.until) - accountNow()
      const text = time.dataset.as === 'clock' ? timeLeft(left, lang) : spellTime(left, lang)
      if (time.textContent !== text) time.textContent = text
      if (left > 0 || !isRunning() || done.has(time)) continue
      done.add(time)
      look()
    }
  }
  setInterval(tick, TICK_MS)
  tick()
}
