import { basename } from 'node:path'
import { didYouMean } from '../choice.ts'
import { UsageError } from '../errors/usage-error.ts'
import type { Loaded } from './load-all.ts'

/** Those that `--only` names; each name must find one, since a name that finds none is a mistake. */
export function pickOnly(loaded: readonly Loaded[], only: readonly string[] = []): readonly Loaded[] {
  if (only.length === 0) return loaded
  for (const word of only) if (!loaded.some(one => isNamed(one, word))) throw nothingNamed(word, loaded)
  return loaded.filter(one => only.some(word => isNamed(one, word)))
}

const titleOf = (one: Loaded) => ('scenario' in one ? one.scenario.data.name : one.error.scenario)
const stemOf = ({ file }: Loaded) => basename(file).replace(/\.(scenario\.json|ya?ml|json)$/, '')

/** By its name, or its file's: a part of one, or all of it where the word has `*` or `?` in it. */
function isNamed(one: Loaded, word: string): boolean {
  const { file } = one
  const texts = [titleOf(one) ?? '', basename(file), stemOf(one), ...(word.includes('/') ? [file] : [])]
  const fits = /[*?]/.test(word) ? whole(word) : part(word)
  return texts.some(fits)
}

const part = (word: string) => (text: string) => text.toLowerCase().includes(word.toLowerCase())

function whole(word: string): (text: string) => boolean {
  const source = word.replace(/[\\^$.*+?()[\]{}|]/g, found =>
    found === '*' ? '.*' : found === '?' ? '.' : `\\${found}`,
  )
  const pattern = new RegExp(`^${source}$`, 'iu')
  return text => pattern.test(text)
}

const MOST_LISTED = 12

function nothingNamed(word: string, loaded: readonly Loaded[]): UsageError {
  const stems = [...new Set(loaded.map(stemOf))]
  const names = loaded.flatMap(one => titleOf(one) ?? [])
  const meant = didYouMean(word, [...stems, ...names])
  const more = stems.length > MOST_LISTED ? ` and ${stems.length - MOST_LISTED} more` : ''
  const listed = `There are ${stems.slice(0, MOST_LISTED).join(', ')}${more}.`
  return new UsageError(
    `--only ${word}: no scenario has this in its name or its file's name. ${meant}${listed}`,
  )
}
