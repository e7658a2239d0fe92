import { Argument, Option } from 'commander'

/** Values that only this machine knows. */
export type Known = 'profiles' | 'accounts' | 'methods'

/** What a word of the command line takes, besides its choices. Completion reads it; help shows the name of the value. */
export interface Takes {
  /** Several of its choices, separated by commas. */
  readonly list?: true
  /** A request body: JSON, or `@file`. */
  readonly body?: true
  /** A file or a folder, though the name of the value does not say so, as `<file>`, `<dir>` and `<image>` do. */
  readonly files?: true
  readonly known?: Known
}

const declared = new WeakMap<Option | Argument, Takes>()

/** Declares at an option or an argument what it takes. */
export function takes<Word extends Option | Argument>(word: Word, what: Takes): Word {
  declared.set(word, what)
  return word
}

export const takenBy = (word: Option | Argument): Takes => declared.get(word) ?? {}

export const optionFor = (flags: string, about: string, what: Takes): Option =>
  takes(new Option(flags, about), what)

export const argumentFor = (name: string, about: string, what: Takes): Argument =>
  takes(new Argument(name, about), what)
