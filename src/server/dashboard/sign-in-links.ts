import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Holders } from '../../engine/holders.ts'

/** How long a sign-in link is valid. */
const LIFE_MS = 15 * 60_000

/**
 * Links that sign a browser in. Each works once, for a limited time, and in every process of a cluster: a code says when
 * it ends, and is signed.
 */
export class SignInLinks {
  readonly #used = new Set<string>()
  readonly #secret: string

  constructor(
    private readonly base: () => string,
    private readonly cluster?: Pick<Holders, 'secret' | 'useOnce'>,
  ) {
    this.#secret = cluster?.secret ?? randomBytes(24).toString('base64url')
  }

  /** For somebody who reaches the dashboard there. */
  issue(base = this.base()): { url: string; expires_in_ms: number } {
    const text = `${Date.now() + LIFE_MS}.${randomBytes(24).toString('base64url')}`
    return { url: `${base}/sign-in?code=${text}.${this.#sign(text)}`, expires_in_ms: LIFE_MS }
  }

  /** Whether the code was valid. A valid code is used up. */
  async redeem(code: unknown): Promise<boolean> {
    const [, text = '', end = '', proof = ''] =
      /^((\d{1,16})\.[\w-]{32})\.([\w-]{43})$/.exec(String(code)) ?? []
    const leftMs = Number(end) - Date.now()
    if (!timingSafeEqual(Buffer.from(this.#sign(text)), Buffer.from(proof.padEnd(43)))) return false
    if (!(leftMs > 0)) return false
    return this.cluster ? this.cluster.useOnce(text, leftMs) : this.#useOnce(text, leftMs)
  }

  #useOnce(text: string, forMs: number): boolean {
    if (this.#used.has(text)) return false
    this.#used.add(text)
    // This timer must not keep the process running.
    setTimeout(() => this.#used.delete(text), forMs).unref()
    return true
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#secret).update(`paysim sign-in ${text}`).digest('base64url')
  }
}
