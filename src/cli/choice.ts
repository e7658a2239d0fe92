import { Argument, InvalidArgumentError, Option } from 'commander'
import { closest } from '../contract/closest.ts'

/** A flag that is one of some words, and says which was meant by another. */
export const choice = (flags: string, description: string, words: readonly string[]): Option =>
  new Option(flags, description).choices(words).argParser(oneOf(words))

/** An argument that is one of some words. */
export const choiceArgument = (name: string, description: string, words: readonly string[]): Argument =>
  new Argument(name, description).choices(words).argParser(oneOf(words))

const oneOf = (words: readonly string[]) => (text: string) => {
  if (words.includes(text)) return text
  throw new InvalidArgumentError(`${didYouMean(text, words)}Allowed choices are ${words.join(', ')}.`)
}

/** A sentence to put before another, where a word is near. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words)
  return meant === undefined ? '' : `Did you mean ${meant}? `
}
