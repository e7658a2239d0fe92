import type { Known } from './known-values.ts'
import { type CommandNode, everyNode, type Value } from './tree.ts'

/** What can follow an option: certain words, values that this machine knows, files, or anything. */
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

/** A shell would expand a word such as *, so it is not suggested. */
const isPlain = (word: string) => /^[\w.:@%+,/-]+$/.test(word)

/** How a script names a command, such as `/payments/get`; empty for the binary itself. */
export const placeOf = ({ words }: CommandNode): string => words.map(word => `/${word}`).join('')

export interface OptionRule {
  /** The commands that have it; `everywhere` if the option is the same in all of them. */
  readonly places: readonly string[] | 'everywhere'
  readonly names: readonly string[]
  readonly behind: Behind
}

/** What follows each option, once for all commands that share it. */
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
  /** Whether the argument is something like an id, for which nothing can be suggested. */
  readonly unguessed: boolean
}

/** What can follow besides options: commands, the words of an argument, or files. */
export function ownWords({ commands, arguments: taken }: CommandNode): OwnWords {
  const names = commands.map(({ words }) => words.at(-1) ?? '')
  const words = [...names, ...taken.flatMap(({ choices }) => choices.filter(isPlain))]
  const known = taken.find(argument => argument.known !== null)?.known ?? undefined
  const files = taken.some(({ file }) => file)
  const isOpen = words.length === 0 && known === undefined && !files
  // Options come before the command that `exec` runs.
  return { words, known, files, unguessed: isOpen && taken.some(({ name }) => name !== 'command') }
}

/** A description on one short line, for a menu. */
export const short = (text: string): string => {
  const [line = ''] = text.replaceAll(/\s+/g, ' ').split(/ \((?:choices|default|env|preset): /)
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`
}
