import type { Carrier } from '../http/carrier.ts'

/** Notices that a caller has gone away before the end of the answer. Call `leave` when this is no longer needed. */
export class Caller {
  #isGone = false
  #onGone: (() => void) | undefined
  /** Made only for a call that waits for something: it costs more than all the rest of this. */
  #aborting: AbortController | undefined
  readonly leave: () => void

  constructor(carrier: Carrier) {
    this.leave = carrier.whenGone(() => {
      this.#isGone = true
      this.#aborting?.abort()
      this.#onGone?.()
    })
    // It may have left while this call waited.
    this.#isGone = carrier.socket.destroyed
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Aborted when the caller goes away. */
  get signal(): AbortSignal {
    if (!this.#aborting) {
      this.#aborting = new AbortController()
      if (this.#isGone) this.#aborting.abort()
    }
    return this.#aborting.signal
  }

  /** Calls this when the caller goes away, instead of what was given before. */
  whenGone(onGone: (() => void) | undefined): void {
    this.#onGone = onGone
    if (this.#isGone) onGone?.()
  }
}
