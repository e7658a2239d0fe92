import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const GLANCE_MS = 50

/** The application that webhooks go to. It may be what the command starts: until its port takes connections, they wait. */
export class Application {
  #isUp = false
  /** Whether a webhook was there for it that could not go. */
  #isMissed = false

  constructor(readonly url: URL) {}

  readonly hold = (address: string, until: AbortSignal): Promise<void> | undefined =>
    this.#isUp || address !== this.url.href ? undefined : this.#wait(until)

  /** What is to be said at the end of a run in which it never was there. */
  get complaint(): string | undefined {
    if (this.#isUp || !this.#isMissed) return undefined
    return `nothing took connections at ${this.url.origin}: the webhooks for ${this.url.href} were not delivered`
  }

  async #wait(until: AbortSignal): Promise<void> {
    this.#isMissed = true
    while (!until.aborted) {
      if (await takesConnections(this.url)) {
        this.#isUp = true
        return
      }
      await pause(GLANCE_MS, undefined, { signal: until }).catch(() => {})
    }
  }
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)

function takesConnections(url: URL): Promise<boolean> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise(resolve => {
    const socket = connect({ host, port: portOf(url) })
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
