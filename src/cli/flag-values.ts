import { type Command, InvalidArgumentError, Option } from 'commander'
import { closest } from '../contract/closest.ts'
import { parseDuration } from '../contract/durations.ts'

/** Parsers of the values of options and arguments. Commander puts the option and the value before what they throw. */

export function milliseconds(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms <= 0)
    throw new InvalidArgumentError('It must be a duration, such as 250ms, 30s or 10m.')
  return ms
}

/** How old a webhook may be; infinite for `none`. */
export const tolerance = (text: string): number =>
  text === 'none' ? Number.POSITIVE_INFINITY : milliseconds(text)

/** Returns milliseconds, or undefined for `all`. */
export function historyKept(text: string): number | undefined {
  if (text === 'all') return undefined
  const ms = parseDuration(text)
  if (ms === undefined) throw new InvalidArgumentError('It must be all, or a duration, such as 24h or 7d.')
  return ms
}

export function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function atLeastOne(text: string): number {
  const number = count(text)
  if (number < 1) throw new InvalidArgumentError('It must be 1 or more.')
  return number
}

export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= 65_535)) throw new InvalidArgumentError('It must be a port number, 0 to 65535.')
  return number
}

export function seed(text: string): string {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return String(Number(text))
}

/** Where webhooks go: a URL, or its short forms `localhost:3000/hooks` and `3000/hooks`. */
export function webhookTarget(text: string): URL {
  // Digits alone are a port. A URL would take them for an IPv4 address.
  const local = text.replace(/^:?(?=\d{1,5}(?:\/|$))/, 'localhost:')
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(local) ? local : `http://${local}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError(
      'It must be an http or https URL, such as http://localhost:3000/webhooks or localhost:3000/webhooks.',
    )
  if (url.username || url.password) throw new InvalidArgumentError('It must not contain credentials.')
  return url
}

/** For an option that may be repeated or left out. */
export const again = (value: string, values: readonly string[] = []): string[] => [...values, value]

/** How `serve` and `exec` start a simulator. */
export interface StartFlags {
  readonly scenario: string[]
  readonly catalogue?: string
  readonly contract?: string
  readonly clock?: 'real' | 'virtual'
  readonly seed?: string
  readonly from?: string
  readonly keepEndpoints?: true
  readonly exportOnExit?: string
}

export const startFlags = (command: Command): Command =>
  command
    .option('--catalogue <file>', 'use the methods and routes of this file instead of the default ones')
    .option('--contract <file>', 'contract file with other decisions; see `paysim contract`')
    .addOption(new Option('--clock <mode>', 'clock of the default merchant').choices(['real', 'virtual']))
    .option('--seed <n>', 'generate the same keys, ids and instructions each time', seed)
    .option('--from <file>', 'begin a new store with this export of an account, without its endpoints')
    .option('--keep-endpoints', 'with --from: also send webhooks to the endpoints of the export')
    .option('--export-on-exit <file>', 'export default.test to this file at the end')

/** A parser for one of several words. It suggests the nearest word for any other. */
export function choice<const W extends string>(words: readonly W[]): (text: string) => W {
  return text => {
    const known = words.find(word => word === text)
    if (known !== undefined) return known
    throw new InvalidArgumentError(`${didYouMean(text, words)}Allowed choices are ${words.join(', ')}.`)
  }
}

/** A suggestion to put before another sentence; empty if no word is near. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words)
  return meant === undefined ? '' : `Did you mean ${meant}? `
}

/** For an option that takes several words, separated by commas or repeated. */
export const commaSeparated = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== ''),
]
