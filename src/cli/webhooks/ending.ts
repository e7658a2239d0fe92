/** Why listening ended. */
export type EndingReason = 'counted' | 'timed out' | 'interrupted' | 'reader gone'

export interface Ending {
  readonly reached: Promise<EndingReason>
  /** Aborted when what is under way need not be waited for. */
  readonly signal: AbortSignal
  end(reason: EndingReason): void
  startClock(timeoutMs: number): void
  /** Lets go of what would keep the process. */
  close(): void
}

/** The first reason is the one. */
export function openEnding(interruption: AbortSignal): Ending {
  const cutting = new AbortController()
  let clock: NodeJS.Timeout | undefined
  let settle: (reason: EndingReason) => void = () => {}
  const reached = new Promise<EndingReason>(resolve => {
    settle = resolve
  })
  const end = (reason: EndingReason) => {
    settle(reason)
    if (reason !== 'counted') cutting.abort()
  }
  const interrupt = () => end('interrupted')
  interruption.addEventListener('abort', interrupt, { once: true })
  // The terminal was closed: nobody reads on, but the endpoint is still to be removed.
  process.once('SIGHUP', interrupt)
  return {
    reached,
    signal: cutting.signal,
    end,
    startClock(timeoutMs) {
      clock = setTimeout(end, timeoutMs, 'timed out')
    },
    close() {
      clearTimeout(clock)
      interruption.removeEventListener('abort', interrupt)
      process.off('SIGHUP', interrupt)
    },
  }
}
