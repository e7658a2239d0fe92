import type { CallUnderWay } from '../store/holders.ts'

/** The calls that this process answers now, by merchant. */
export class CallsUnderWay {
  readonly #calls = new Map<string, Set<CallUnderWay>>()
  readonly #waiting = new Map<string, () => void>()
  /** An empty set, used again: most calls are the only one of their merchant, and over at once. */
  #spare: Set<CallUnderWay> | undefined

  begin(merchant: string, call: CallUnderWay): void {
    let calls = this.#calls.get(merchant)
    if (!calls) {
      calls = this.#spare ?? new Set()
      this.#spare = undefined
      this.#calls.set(merchant, calls)
    }
    calls.add(call)
  }

  end(merchant: string, call: CallUnderWay): void {
    const calls = this.#calls.get(merchant)
    if (!calls?.delete(call) || calls.size > 0) return
    this.#calls.delete(merchant)
    this.#spare = calls
    this.#waiting.get(merchant)?.()
  }

  /** When the oldest of them began. */
  oldest(merchant: string): number | undefined {
    const [oldest] = this.#calls.get(merchant) ?? []
    return oldest?.startedAt
  }

  /** Whether all calls of the merchant end within the time. Only one caller at a time may wait for this. */
  async over(merchant: string, withinMs: number): Promise<boolean> {
    if (!this.#calls.has(merchant)) return true
    return new Promise(resolve => {
      const end = (isOver: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(merchant)
        resolve(isOver)
      }
      const timer = setTimeout(() => end(false), withinMs)
      this.#waiting.set(merchant, () => end(true))
    })
  }
}
