import { closest } from '../contract/closest.ts'
import { ArgumentError } from './errors.ts'
import type { CallOptions, KeyedCallOptions } from './resources.ts'
import type { Answer } from './transport/transport.ts'

/**
 * A call in progress. Awaiting it gives the body; `answer()` gives status, headers and the exact text too. The client
 * stores nothing, so parallel calls cannot mix.
 */
export class Call<T, Body = T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<Answer<Body>>
  /** With this type, a call for more is also a call for less. */
  readonly #read: (body: never) => T

  constructor(
    answer: Promise<Answer<Body>>,
    /** The idempotency key of the call. It is known before the answer, so that it can be shown and used again. */
    readonly idempotencyKey?: string | undefined,
    /** Extracts the part of the body that the caller awaits; the whole body by default. */
    read: (body: Body) => T = asItIs,
  ) {
    this.#answer = answer
    this.#read = read
  }

  answer(): Promise<Answer<Body>> {
    return this.#answer
  }

  then<A = T, B = never>(
    fulfilled?: ((body: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ body }) => this.#read(body as never)).then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, rejected)
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.then().finally(settled)
  }
}

const asItIs = <Body, T>(body: Body): T => body as unknown as T

/** The names of all members of an interface. The compiler checks that the list is complete and has no others. */
export type NamesOf<T> = Readonly<Record<keyof Required<T>, true>>

/** Refuses unknown options: a misspelt one would otherwise be ignored silently. */
export function demandKnown(call: string, options: unknown, names: Readonly<Record<string, true>>): void {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new ArgumentError(`${call} takes an object of options, not ${shown(options)}`)
  const known = Object.keys(names)
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const meant = closest(name, known)
    const hint = meant ? `did you mean ${meant}?` : `it takes ${known.join(', ')}`
    throw new ArgumentError(`${call} has no option ${name}; ${hint}`)
  }
}

export const CALL_OPTIONS: NamesOf<CallOptions> = { signal: true }
export const KEYED_CALL_OPTIONS: NamesOf<KeyedCallOptions> = { ...CALL_OPTIONS, idempotencyKey: true }

/** Turns an error about arguments into a rejection, so that callers handle all errors in one place. */
export function orReject<T, Body = T>(make: () => Call<T, Body>): Call<T, Body> {
  try {
    return make()
  } catch (error) {
    return new Call<T, Body>(Promise.reject(error))
  }
}

export const shown = (value: unknown): string =>
  typeof value === 'string' || value === undefined || typeof value === 'function'
    ? String(value)
    : JSON.stringify(value)
