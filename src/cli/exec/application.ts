import { setTimeout as pause } from 'node:timers/promises'
import { acceptsConnections } from '../../application/listening.ts'

const POLL_MS = 50

/** The application that webhooks go to. The command may be starting it, so webhooks wait until its port accepts connections. */
export class Application {
  #isUp = false
  /** Whether a webhook had to wait. */
  #hasWaiting = false

  constructor(readonly url: URL) {}

  readonly hold = (address: string, until: AbortSignal): Promise<void> | undefined =>
    this.#isUp || address !== this.url.href ? undefined : this.#wait(until)

  /** What to print at the end of a run in which webhooks waited in vain. */
  get problem(): string | undefined {
    if (this.#isUp || !this.#hasWaiting) return undefined
    return `nothing accepted connections at ${this.url.origin}: the webhooks for ${this.url.href} were not delivered`
  }

  async #wait(until: AbortSignal): Promise<void> {
    this.#hasWaiting = true
    while (!until.aborted) {
      if (await acceptsConnections(hostOf(this.url), portOf(this.url))) {
        this.#isUp = true
        return
      }
      await pause(POLL_MS, undefined, { signal: until }).catch(() => {})
    }
  }
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)
/** An IPv6 address without its brackets. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')
