import { closest } from '../contract/closest.ts'
import { Call } from './call.ts'
import { ArgumentError } from './errors.ts'
import type { CallOptions, KeyedCallOptions } from './requests.ts'

/** The names of an interface's members, each of them: the compiler misses none and lets no other in. */
export type NamesOf<T> = Readonly<Record<keyof Required<T>, true>>

/** Refuses what nobody reads: an option with a typing error would otherwise do nothing, and say nothing. */
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

/** A call whose arguments are wrong rejects, as one that fails later does: nobody has to look for its faults twice. */
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
