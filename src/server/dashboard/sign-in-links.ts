import { randomBytes } from 'node:crypto'

/** How long a sign-in link is valid. */
const LIFE_MS = 15 * 60_000

/** Links that sign a browser in. Each works once, for a limited time, and only in the process that created it. */
export class SignInLinks {
  readonly #ends = new Map<string, NodeJS.Timeout>()

  constructor(private readonly base: () => string) {}

  issue(): { url: string; expires_in_ms: number } {
    const code = randomBytes(24).toString('base64url')
    // This timer must not keep the process running.
    this.#ends.set(code, setTimeout(() => this.#ends.delete(code), LIFE_MS).unref())
    return { url: `${this.base()}/sign-in?code=${code}`, expires_in_ms: LIFE_MS }
  }

  /** Whether the code was valid. A valid code is used up. */
  redeem(code: unknown): boolean {
    if (typeof code !== 'string') return false
    clearTimeout(this.#ends.get(code))
    return this.#ends.delete(code)
  }
}
