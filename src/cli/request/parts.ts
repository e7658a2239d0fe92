import { InvalidArgumentError } from 'commander'
import { didYouMean } from '../choice.ts'

/** What a request is made of, as flags and arguments say it. */

export type Pair = readonly [name: string, value: string]

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

export function method(written: string): string {
  const verb = written.toUpperCase()
  if (METHODS.some(known => known === verb)) return verb
  throw new InvalidArgumentError(`${didYouMean(verb, METHODS)}Allowed choices are ${METHODS.join(', ')}.`)
}

export function path(written: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(written))
    throw new InvalidArgumentError('It stands below the base URL, which --base-url names: /payout_intents.')
  return written
}

/** Headers that belong to the connection, or to the keys. */
const OURS = new Set(['authorization', 'connection', 'content-length', 'host', 'transfer-encoding'])

export function addHeader(written: string, before: readonly Pair[] = []): Pair[] {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*(.*)$/s.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name and a value, as X-Trace:abc.')
  if (OURS.has(name.toLowerCase())) throw new InvalidArgumentError(`${name} is set by paysim itself.`)
  return [...before, [name, value.trim()]]
}

export function addParameter(written: string, before: readonly Pair[] = []): Pair[] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name and a value, as limit=10.')
  return [...before, [name, value]]
}
