import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type CommandTable, commandsOf } from '../command-table.ts'
import { findKnown } from './known-values.ts'
import { commandNode, HELP, type OptionNode, type Value, VERSION } from './tree.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** What can be typed next. */
interface Suggestions {
  readonly words: readonly Word[]
  /** What the shell adds itself; `nospace` if a word may go on. */
  readonly kind?: 'files' | 'directories' | 'nospace'
}

interface Word {
  readonly word: string
  readonly about?: string
}

/**
 * Answers the scripts of `paysim completion`: `bash TYPED WORD…`, `zsh WORD…` or `fish WORD…`. The last word is the one to
 * complete, and TYPED is the part of it that bash replaces. The first line says what the shell adds, each other line is
 * a suggestion. After an error, nothing is suggested.
 */
export async function complete(
  table: CommandTable,
  [shell = '', ...asked]: readonly string[],
): Promise<string> {
  if (shell !== 'bash' && shell !== 'zsh' && shell !== 'fish') return ''
  const words = shell === 'bash' ? joined(asked.slice(1)) : asked
  const last = words.at(-1) ?? ''
  const { words: all, kind = 'words' } = await suggestions(table, words).catch(
    (): Suggestions => ({ words: [] }),
  )
  const found = all.filter(({ word }) => word.startsWith(last) && !/\p{Cc}/u.test(word))
  const write = WRITE[shell]
  const skipped = shell === 'bash' ? Math.max(0, last.length - replaced(asked[0] ?? '').length) : 0
  return [`:${kind}`, ...found.map(one => write(one, skipped)), ''].join('\n')
}

const WRITE: Readonly<Record<Shell, (one: Word, skipped: number) => string>> = {
  // Bash inserts a word as it is. Only names of files can have such characters.
  bash: ({ word }, skipped) => word.slice(skipped).replaceAll(/[\s!"#$&'()*;<>?[\\\]^`{|}~]/g, '\\$&'),
  // A colon separates the word from its description.
  zsh: ({ word, about = '' }) => `${word.replaceAll(/[\\:]/g, '\\$&')}:${about}`,
  fish: ({ word, about = '' }) => `${word}\t${about}`,
}

/** Bash splits words at = and at @, and then replaces only what comes after. */
function joined(words: readonly string[]): string[] {
  const all: string[] = []
  for (const [at, raw] of words.entries()) {
    const word = raw.replaceAll(/\\(.)/g, '$1')
    const before = all.at(-1)
    const isGlued = /^=@?$/.test(word) ? before?.startsWith('--') : /^=@?$|^@$/.test(words[at - 1] ?? '')
    if (before !== undefined && isGlued) all[all.length - 1] = before + word
    else all.push(word)
  }
  return all
}

const replaced = (typed: string) => (/^(?:=|@|=@)$/.test(typed) ? '' : typed.replaceAll(/\\(.)/g, '$1'))

async function suggestions(table: CommandTable, words: readonly string[]): Promise<Suggestions> {
  const before = words.slice(0, -1).filter(word => word !== '')
  const last = words.at(-1) ?? ''
  // `exec` runs what follows, and only files can be suggested for that.
  if (before.includes('--')) return { words: [], kind: 'files' }
  const place = await placeOf(table, before)
  const [, name, given] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [undefined, before.at(-1), last]
  const option = place.options.find(({ names, value }) => value !== null && names.includes(name ?? ''))
  if (option?.value) return valuesOf(option.value, { head: given === last ? '' : `${name}=`, given, before })
  const isOption = last.startsWith('-')
  if (isOption || isBare(place)) return { words: optionsOf(place.options) }
  const own = await Promise.all(
    place.arguments.map(value => valuesOf(value, { head: '', given: last, before })),
  )
  const kind = own.find(({ kind }) => kind)?.kind
  return { words: [...place.commands, ...own.flatMap(({ words }) => words)], ...(kind ? { kind } : {}) }
}

/** What a command, or a group of commands, takes. */
interface Place {
  readonly commands: readonly Word[]
  readonly options: readonly OptionNode[]
  readonly arguments: readonly Value[]
}

/** Whether nothing but options can come. What `exec` runs comes after `--`. */
const isBare = (place: Place) =>
  place.commands.length === 0 && place.arguments.every(({ name }) => name === 'command')

/** Follows the words to a command, and loads only this one. */
async function placeOf(all: CommandTable, words: readonly string[]): Promise<Place> {
  let [table, options, alone]: [CommandTable, Place['options'], string?] = [all, [VERSION, HELP]]
  const path: string[] = []
  for (const word of words) {
    if (word === 'help') continue
    const entry = Object.hasOwn(table, word) ? table[word] : undefined
    if (entry === undefined) break
    path.push(word)
    if (!('commands' in entry)) return { ...(await nodeOf(entry, all, path)), commands: [] }
    ;[table, options, alone] = [await commandsOf(entry), [HELP], entry.alone]
  }
  // Options after the group's name belong to its default command.
  const meant = alone === undefined ? undefined : table[alone]
  if (meant && 'load' in meant) options = (await nodeOf(meant, all, path)).options
  const commands = Object.entries(table).map(([word, { summary }]) => ({ word, about: short(summary) }))
  return { commands, options, arguments: [] }
}

type Leaf = Extract<CommandTable[string], { load: unknown }>

const nodeOf = async ({ load, summary }: Leaf, all: CommandTable, words: readonly string[]) =>
  commandNode((await load()).command(all), { all, words, summary })

const optionsOf = (options: readonly OptionNode[]): Word[] =>
  options.flatMap(({ names, description }) => names.map(word => ({ word, about: short(description) })))

interface Typed {
  /** What stands before the value in the same word, such as `--output=`. */
  readonly head: string
  readonly given: string
  readonly before: readonly string[]
}

async function valuesOf(
  { choices, known, body, file, many, name }: Value,
  { head, given, before }: Typed,
): Promise<Suggestions> {
  const offer = (words: readonly string[]) => ({ words: words.map(word => ({ word: head + word })) })
  if (choices.length > 0)
    return offer(many ? nextOf(choices.filter(isPlain), given) : choices.filter(isPlain))
  if (known !== null) return offer((await findKnown(known, before)).filter(isPlain))
  if (body && (given === '' || given.startsWith('@'))) {
    const files = await filesAt(given.slice(1))
    return { ...offer(files.map(file => `@${file}`)), kind: 'nospace' }
  }
  if (body || file) return { words: [], kind: name === 'dir' ? 'directories' : 'files' }
  return { words: [] }
}

/** A shell would expand a word such as *, so it is not suggested. */
const isPlain = (word: string) => /^[\w.:@%+,/-]+$/.test(word)

/** The next of several words separated by commas. */
function nextOf(choices: readonly string[], given: string): string[] {
  const head = given.slice(0, given.lastIndexOf(',') + 1)
  const named = head.split(',')
  return choices.filter(word => !named.includes(word)).map(word => head + word)
}

/** The files that a path may mean; a folder ends with a slash. */
async function filesAt(path: string): Promise<string[]> {
  const folder = path.endsWith('/') ? path : path.includes('/') ? `${dirname(path)}/`.replace('//', '/') : ''
  const isHidden = path.slice(folder.length).startsWith('.')
  const all = await readdir(folder || '.', { withFileTypes: true })
  return all
    .filter(({ name }) => isHidden || !name.startsWith('.'))
    .map(entry => folder + entry.name + (entry.isDirectory() ? '/' : ''))
    .sort()
}

/** A description on one short line, for a menu. */
function short(text: string): string {
  const [line = ''] = text.replaceAll(/\s+/g, ' ').split(/ \((?:choices|default|env|preset): /)
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`
}
