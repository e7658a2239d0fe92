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
import { call } from './api.ts'
import { live } from './live.ts'

/** What a component depends on: kinds of changes, or records by id. */
export interface Dependencies {
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
