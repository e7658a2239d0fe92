import { closest } from '../contract/closest.ts'
import { Call } from './call.ts'
import { ArgumentError } from './errors.ts'
import type { CallOptions, KeyedCallOptions } from './requests.ts'

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
