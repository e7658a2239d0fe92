import { InvalidArgumentError } from 'commander'
import { closest } from '../contract/closest.ts'
import { parseDuration } from '../contract/durations.ts'

/** What flags may hold, and what is said of what they may not. */

export function milliseconds(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms <= 0)
    throw new InvalidArgumentError('it must be a duration, as 250ms, 30s or 10m')
  return ms
}

export function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('it must be a whole number')
  return Number(text)
}

export function atLeastOne(text: string): number {
  const number = count(text)
  if (number < 1) throw new InvalidArgumentError('It must be 1 or more.')
  return number
}

export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= 65_535)) throw new InvalidArgumentError('it must be a port, 0 to 65535')
  return number
}

export function seed(text: string): string {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('it must be a whole number')
  return String(Number(text))
}

/** Where webhooks go: a URL, or as people say it, `localhost:3000/hooks` or `3000/hooks`. */
export function webhookTarget(text: string): URL {
  // Digits alone are a port: a URL would read them as an IPv4 address, somewhere else.
  const local = text.replace(/^:?(?=\d{1,5}(?:\/|$))/, 'localhost:')
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(local) ? local : `http://${local}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError(
      'It must be an http or https URL, such as http://localhost:3000/webhooks or localhost:3000/webhooks.',
    )
  if (url.username || url.password) throw new InvalidArgumentError('It must not carry credentials.')
  return url
}

/** For a flag that may be given again and again. */
export const collect = (value: string, values: string[]): string[] => [...values, value]

/** A parser of flags and arguments that are one of some words: it says which was meant by another. */
export function choice<const W extends string>(words: readonly W[]): (text: string) => W {
  return text => {
    const known = words.find(word => word === text)
    if (known !== undefined) return known
    throw new InvalidArgumentError(`${didYouMean(text, words)}Allowed choices are ${words.join(', ')}.`)
  }
}

/** A sentence to put before another, where a word is near. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words)
  return meant === undefined ? '' : `Did you mean ${meant}? `
}

/** For a flag that takes words with commas between them, and may be given again. */
export const words = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== ''),
]
