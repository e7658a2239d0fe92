import { signal } from '@preact/signals'
import type { StreamChange } from '../../../contract/control/journal.ts'
import { addressOfCall, checkSession, session } from './api.ts'

type Listener = (change: StreamChange | 'everything') => void

export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

const FIRST_PAUSE_MS = 400
const LONGEST_PAUSE_MS = 5000

/**
 * The account's event stream. It reconnects when the server is back, and then everything is reloaded, because events
 * were missed. A hidden page closes it, because a browser allows few connections to a host.
 */
class Live {
  readonly #listeners = new Set<Listener>()
  #account: string | null = null
  #source: EventSource | undefined
  #pause = FIRST_PAUSE_MS
  #again: number | undefined

  follow(account: string | null): void {
    if (account === this.#account) return
    this.#account = account
    this.#pause = FIRST_PAUSE_MS
    this.connect()
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  connect(): void {
    this.close()
    if (!this.#account || document.hidden || session.value !== 'in') return
    connection.value = 'connecting'
    const input = { params: { account: this.#account }, query: { as: 'changes' } }
    const source = new EventSource(addressOfCall('GET /accounts/:account/stream', input))
    this.#source = source
    source.addEventListener('hello', () => {
      connection.value = 'live'
      this.#pause = FIRST_PAUSE_MS
      this.#tell('everything')
    })
    source.addEventListener('change', event => this.#tell(JSON.parse(event.data) as StreamChange))
    source.addEventListener('error', () => this.#lost())
  }

  close(): void {
    window.clearTimeout(this.#again)
    this.#source?.close()
    this.#source = undefined
  }

  /** A restarted server may have another token, so the session may have ended. */
  #lost(): void {
    this.close()
    connection.value = 'lost'
    this.#again = window.setTimeout(() => {
      checkSession().then(
        () => this.connect(),
        () => this.#lost(),
      )
    }, this.#pause)
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS)
  }

  #tell(change: StreamChange | 'everything'): void {
    for (const listener of this.#listeners) listener(change)
  }
}

export const live = new Live()

document.addEventListener('visibilitychange', () => {
  if (document.hidden) live.close()
  else live.connect()
})
