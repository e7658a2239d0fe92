/** The account's time as this page last heard of it, running on as fast as the account's clock does. */
let heard = { now: 0, rate: 0, at: 0 }

export function setClock(now: number, rate: number): void {
  heard = { now, rate, at: performance.now() }
}

export const accountNow = () => heard.now + (performance.now() - heard.at) * heard.rate

export const isRunning = () => heard.rate > 0
