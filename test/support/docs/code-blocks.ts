import { readFileSync } from 'node:fs'

export interface CodeBlock {
  readonly language: string
  /** The second word of the fence's info string. */
  readonly file: string
  readonly code: string
}

/** The fenced blocks of a page that have a file name and can be run. */
export function codeBlocks(page: string): CodeBlock[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms)].map(
    ([, language = '', file = '', code = '']) => ({
      language,
      file,
      code,
    }),
  )
}
