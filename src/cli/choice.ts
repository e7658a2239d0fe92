import { InvalidArgumentError } from 'commander'
import { closest } from '../contract/closest.ts'

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
