import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import {
  type AnswerTo,
  type AnyInput,
  type CallInput,
  type GetCall,
  type InputOf,
  type JsonCall,
  requestLine,
} from '../../../contract/control/call.ts'
import type { StreamChange } from '../../../contract/control/journal.ts'
import { addressOfCall, call, checkSession, session } from './api.ts'

/** What a component depends on: kinds of changes, or records by id. */
interface Dependencies {
  readonly about?: readonly string[]
  readonly record?: string
}

export interface Loaded<T> {
  /** The last result. It stays while the next one is loading. */
  readonly data: T | undefined
  readonly error: unknown
  readonly reload: () => void
}

/** The shortest time between two requests, however often the data changes; longer if a request takes long. */
const REST_MS = 250
const REST_SHARE = 3

/** Reads from the control surface, and again whenever what it depends on changes. */
export function useLive<C extends JsonCall & GetCall>(
  name: C,
  input: CallInput<C>,
  interest: Dependencies = {},
): Loaded<AnswerTo<C>> {
  const { path } = requestLine(name, input as AnyInput)
  const [state, setState] = useState<{ path: string; data: AnswerTo<C> | undefined; error: unknown }>({
    path,
    data: undefined,
    error: undefined,
  })
  const reader = useRef<() => void>(() => {})
  useEffect(() => {
    const reading = repeatedly(async isCurrent => {
      try {
        const data = await call(name, ...([input] as InputOf<C>))
        if (isCurrent()) setState({ path, data, error: undefined })
      } catch (error) {
        if (isCurrent())
          setState(({ data, path: of }) => ({ path, data: of === path ? data : undefined, error }))
      }
    })
    reader.current = reading.wish
    reading.wish()
    const stopListening = live.listen(change => {
      if (change === 'everything' || concerns(interest, change)) reading.wish()
    })
    return () => {
      stopListening()
      reading.stop()
    }
  }, [path])
  const isOurs = state.path === path
  return {
    data: isOurs ? state.data : undefined,
    error: isOurs ? state.error : undefined,
    reload: () => reader.current(),
  }
}

function concerns(
  { about = [], record }: Dependencies,
  change: { about: readonly string[]; records: readonly string[] | null; requests: number },
): boolean {
  if (about.includes('requests') && change.requests > 0) return true
  if (about.some(subject => change.about.includes(subject))) return true
  return record !== undefined && (change.records === null || change.records.includes(record))
}

/** One request at a time, with a pause between two, and one more if something changed meanwhile. */
export function repeatedly(task: (isCurrent: () => boolean) => Promise<void>) {
  let running = false
  let wished = false
  let stopped = false
  const run = async () => {
    running = true
    wished = false
    const began = performance.now()
    await task(() => !stopped)
    const rest = Math.max(REST_MS, REST_SHARE * (performance.now() - began))
    window.setTimeout(() => {
      running = false
      if (wished && !stopped) run()
    }, rest)
  }
  return {
    wish() {
      wished = true
      if (!running && !stopped) run()
    },
    stop() {
      stopped = true
    },
  }
}

/** Asks when nothing was typed for a moment. An answer to what was typed before is dropped. */
export function useTypedAnswer<T>(
  typed: readonly unknown[],
  ask: () => Promise<T>,
  onAnswer: (answer: T) => void,
  onError: (error: unknown) => void,
  pauseMs = 300,
): void {
  useEffect(() => {
    let isCurrent = true
    const soon = window.setTimeout(() => {
      ask().then(
        answer => isCurrent && onAnswer(answer),
        error => isCurrent && onError(error),
      )
    }, pauseMs)
    return () => {
      isCurrent = false
      window.clearTimeout(soon)
    }
  }, typed)
}

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
        () => {
          // The server is there, but the account may not be.
          this.#tell('everything')
          this.connect()
        },
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
