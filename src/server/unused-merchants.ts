import { formatDuration } from '../contract/durations.ts'

interface ForgetSettings {
  /** How long nobody calls a merchant before it is removed. */
  readonly afterMs: number
  readonly monotonic: () => number
  readonly remove: (merchant: string) => Promise<void>
  /** Told about each merchant that was removed, or why it could not be. */
  readonly tell: (message: string) => void
}

interface Use {
  /** Calls and streams that are not over. */
  open: number
  /** When the last of them was over. */
  at: number
}

/** Node fires a longer one at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Removes merchants that were made by a call, such as for a test, once nobody calls them any more. */
export class UnusedMerchants {
  /** In the order in which they were last used. */
  readonly #uses = new Map<string, Use>()
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly settings: ForgetSettings) {}

  made(merchant: string): void {
    this.#put(merchant, { open: 0, at: this.settings.monotonic() })
  }

  /** A call or a stream of a merchant. Returns what to call when it is over. */
  begin(merchant: string): () => void {
    const use = this.#uses.get(merchant)
    if (!use) return () => {}
    use.open++
    return () => {
      use.open--
      use.at = this.settings.monotonic()
      if (this.#uses.get(merchant) === use) this.#put(merchant, use)
    }
  }

  /** It was removed by a call. */
  removed(merchant: string): void {
    this.#uses.delete(merchant)
  }

  #put(merchant: string, use: Use): void {
    this.#uses.delete(merchant)
    this.#uses.set(merchant, use)
    this.#timer ??= this.#look(this.settings.afterMs)
  }

  #look(inMs: number): NodeJS.Timeout {
    return setTimeout(() => void this.#forget(), Math.min(inMs, LONGEST_TIMER_MS)).unref()
  }

  async #forget(): Promise<void> {
    const { afterMs, monotonic, remove, tell } = this.settings
    const now = monotonic()
    for (const [merchant, { open, at }] of this.#uses) {
      if (open > 0) continue
      if (at + afterMs > now) {
        this.#timer = this.#look(at + afterMs - now)
        return
      }
      this.#uses.delete(merchant)
      try {
        await remove(merchant)
        tell(`merchant ${merchant} is removed, since nobody called it for ${formatDuration(afterMs)}`)
      } catch (cause) {
        tell(`merchant ${merchant} could not be removed: ${cause instanceof Error ? cause.message : cause}`)
      }
    }
    // The end of an open call looks again.
    this.#timer = undefined
  }

  stop(): void {
    this.#uses.clear()
    clearTimeout(this.#timer)
  }
}
