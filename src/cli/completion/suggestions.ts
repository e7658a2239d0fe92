import type { Known } from './known-values.ts'
import { type CommandNode, everyNode, type Value } from './tree.ts'

/** What may stand behind an option: words, of which this machine may know some, something on disk, or what nobody can guess. */
export type Behind =
  | { readonly words: readonly string[]; readonly many: boolean }
  | { readonly known: Known }
  | 'body'
  | 'files'
  | 'directories'
  | 'anything'

export function behind({ choices, file, body, many, known, name }: Value): Behind {
  if (choices.length > 0) return { words: choices.filter(isPlain), many }
  if (known !== null) return { known }
  if (body) return 'body'
  if (!file) return 'anything'
  return name === 'dir' ? 'directories' : 'files'
}

/** A word such as * is read by the shell before any command sees it: whoever wants it has to quote it. */
const isPlain = (word: string) => /^[\w.:@%+,/-]+$/.test(word)

/** `/payments/get`: how a script names where it is; nothing, for the binary itself. */
export const placeOf = ({ words }: CommandNode): string => words.map(word => `/${word}`).join('')

export interface OptionRule {
  /** Where it holds; everywhere, when the option is the same wherever it stands. */
  readonly places: readonly string[] | 'everywhere'
  readonly names: readonly string[]
  readonly behind: Behind
}

/** What stands behind each option, said once for all commands that have it in common. */
export function optionRules(root: CommandNode): OptionRule[] {
  const rules = new Map<string, { places: string[]; names: readonly string[]; behind: Behind }>()
  const meanings = new Map<string, Set<string>>()
  for (const node of everyNode(root))
    for (const { names, value } of node.options) {
      const what = value === null ? undefined : behind(value)
      for (const name of names)
        meanings.set(name, (meanings.get(name) ?? new Set()).add(JSON.stringify(what)))
      if (what === undefined) continue
      const key = JSON.stringify([names, what])
      const rule = rules.get(key) ?? { places: [], names, behind: what }
      rule.places.push(placeOf(node))
      rules.set(key, rule)
    }
  const isSame = (name: string) => meanings.get(name)?.size === 1
  return [...rules.values()].map(rule => ({
    ...rule,
    places: rule.names.every(isSame) ? 'everywhere' : rule.places,
  }))
}

interface OwnWords {
  readonly words: readonly string[]
  readonly known: Known | undefined
  readonly files: boolean
  /** Whether something stands there that nobody can guess, as an id: then nothing is offered. */
  readonly unguessed: boolean
}

/** What may stand where no option does: commands, the words of an argument, something on disk. */
export function ownWords({ commands, arguments: taken }: CommandNode): OwnWords {
  const names = commands.map(({ words }) => words.at(-1) ?? '')
  const words = [...names, ...taken.flatMap(({ choices }) => choices.filter(isPlain))]
  const known = taken.find(argument => argument.known !== null)?.known ?? undefined
  const files = taken.some(({ file }) => file)
  const isOpen = words.length === 0 && known === undefined && !files
  // A command of somebody's own comes behind its options.
  return { words, known, files, unguessed: isOpen && taken.some(({ name }) => name !== 'command') }
}

/** Descriptions on one line, and short: a menu is no manual. */
export const short = (text: string): string => {
  const [line = ''] = text.replaceAll(/\s+/g, ' ').split(/ \((?:choices|default|env|preset): /)
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`
}
