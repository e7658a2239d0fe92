/** The account's time: the last known one, running at the speed of the account's clock. */
let heard = { now: 0, rate: 0, at: 0 }

export function setClock(now: number, rate: number): void {
  heard = { now, rate, at: performance.now() }
}

export const accountNow = () => heard.now + (performance.now() - heard.at) * heard.rate

export const isRunning = () => heard.rate > 0
