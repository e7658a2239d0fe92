import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Argument, type Command, Help, type Option } from 'commander'
import { readPackageFile } from '../package-files.ts'
import { type CommandTable, commandsOf } from './command-table.ts'
import { type Known, takenBy } from './values.ts'

/** What a word of the command line can be. */
export interface Value {
  /** The name in help, such as `file` or `duration`. */
  readonly name: string
  readonly required: boolean
  readonly choices: readonly string[]
  /** Whether it names a file or a folder. */
  readonly file: boolean
  /** Whether it is a request body, as JSON or as `@file`. */
  readonly body: boolean
  /** Whether it can be several of the choices, separated by commas. */
  readonly many: boolean
  /** Which values of this machine it takes, if it has no fixed choices. */
  readonly known: Known | null
}

export interface ArgumentNode extends Value {
  readonly description: string
  readonly repeatable: boolean
}

export interface OptionNode {
  /** All its names, such as `--output` and `-o`. */
  readonly names: readonly string[]
  readonly description: string
  /** The names as help shows them, such as `-o, --output <format>`. */
  readonly flags: string
  readonly heading: string
  readonly value: Value | null
}

/** A command or a group of commands, with everything that help shows. */
export interface CommandNode {
  /** The words that call it; empty for the binary itself. */
  readonly words: readonly string[]
  readonly summary: string
  readonly description: string
  readonly usage: string
  readonly arguments: readonly ArgumentNode[]
  readonly options: readonly OptionNode[]
  /** The text below the options: mostly examples. */
  readonly more: string
  readonly commands: readonly CommandNode[]
  /** The default command of a group. */
  readonly alone: string | null
}

/** Loads every command and reads its options, so that nothing is written twice. */
export async function readTree(table: CommandTable): Promise<CommandNode> {
  return { ...(await groupNode(table, { all: table, words: [], summary: '' })), options: [VERSION, HELP] }
}

const HELP: OptionNode = {
  names: ['--help', '-h'],
  description: 'display help',
  flags: '-h, --help',
  heading: 'Options:',
  value: null,
}

const VERSION: OptionNode = {
  ...HELP,
  names: ['--version', '-V'],
  flags: '-V, --version',
  description: 'print the version',
}

interface GroupContext {
  readonly all: CommandTable
  readonly words: readonly string[]
  readonly summary: string
  readonly alone?: string | undefined
}

async function groupNode(
  table: CommandTable,
  { all, words, summary, alone }: GroupContext,
): Promise<CommandNode> {
  const commands = await Promise.all(
    Object.entries(table).map(async ([name, entry]) => {
      const place = { all, words: [...words, name], summary: entry.summary }
      if ('commands' in entry) return groupNode(await commandsOf(entry), { ...place, alone: entry.alone })
      return commandNode((await entry.load())(all), place)
    }),
  )
  const usage = ['paysim', ...words, 'COMMAND [options]'].join(' ')
  // Options after the group's name belong to its default command.
  const meant = commands.find(({ words }) => alone !== undefined && words.at(-1) === alone)
  const options = meant?.options ?? [HELP]
  return {
    words,
    summary,
    description: '',
    usage,
    arguments: [],
    options,
    more: '',
    commands,
    alone: alone ?? null,
  }
}

function commandNode(command: Command, { words, summary }: GroupContext): CommandNode {
  const help = command.createHelp()
  return {
    words,
    summary,
    description: command.description(),
    usage: help.commandUsage(command),
    arguments: command.registeredArguments.map(argumentNode),
    options: new Help()
      .visibleOptions(command)
      .map(option => optionNode(option, help.optionDescription(option))),
    more: textBelow(command),
    commands: [],
    alone: null,
  }
}

function argumentNode(argument: Argument): ArgumentNode {
  const { files = false, known = null } = takenBy(argument)
  const { required, description, variadic, argChoices = [] } = argument
  const name = argument.name()
  return {
    name,
    required,
    description,
    choices: argChoices,
    file: files || NAMES_A_FILE.has(name),
    repeatable: variadic,
    body: false,
    many: false,
    known,
  }
}

/** The names of values that are files, as help shows them. */
const NAMES_A_FILE: ReadonlySet<string> = new Set(['file', 'dir', 'image'])

function optionNode(option: Option, description: string): OptionNode {
  const { flags, long, short, helpGroupHeading } = option
  const { body = false, list = false, files = false, known = null } = takenBy(option)
  const [, name] = /[<[]([^\].>]+)/.exec(flags) ?? []
  const { required, argChoices = [] } = option
  return {
    names: [long, short].filter(spelling => spelling !== undefined),
    description,
    flags,
    heading: helpGroupHeading ?? 'Options:',
    value:
      name === undefined
        ? null
        : {
            name,
            required,
            choices: argChoices,
            file: files || NAMES_A_FILE.has(name),
            body,
            many: list,
            known,
          },
  }
}

/** Commander creates the text below the options only when it prints help. */
function textBelow(command: Command): string {
  const help = command.helpInformation()
  let printed = ''
  command.configureOutput({
    writeOut: text => {
      printed += text
    },
  })
  command.outputHelp()
  return printed.slice(help.length).trim()
}

/** Nobody who presses Tab wants to wait for a simulator that hangs. */
const PATIENCE_MS = 500

/** The known values; none after an error. `words` is the command line so far. */
const findKnown = (kind: Known, words: readonly string[]): Promise<readonly string[]> =>
  FIND[kind](words).catch(() => [])

const FIND: Readonly<Record<Known, (words: readonly string[]) => Promise<readonly string[]>>> = {
  profiles: profileNames,
  accounts: accountIds,
  methods: methodCodes,
}

async function profileNames(): Promise<readonly string[]> {
  const { readProfiles } = await import('./profiles/profiles.ts')
  return Object.keys((await readProfiles()).profiles)
}

async function accountIds(): Promise<readonly string[]> {
  const merchants = await withSimulator(control => control.merchants.list())
  return merchants.flatMap(({ accounts }) => accounts.map(({ id }) => id))
}

/** The methods of the named account at the local simulator; without a simulator, the default methods. */
async function methodCodes(words: readonly string[]): Promise<readonly string[]> {
  const account = words[words.lastIndexOf('--account') + 1]
  const named = words.includes('--account') && account !== undefined ? account : 'default.test'
  const { methods } = await withSimulator(control => control.account(named).catalogue.get()).catch(standard)
  return methods.map(({ code }) => code)
}

async function standard(): Promise<{ methods: readonly { readonly code: string }[] }> {
  return JSON.parse(readPackageFile('fixtures/catalogue.json').toString())
}

type Control = InstanceType<typeof import('../client/control-client.ts')['ControlClient']>

async function withSimulator<T>(use: (control: Control) => Promise<T> | PromiseLike<T>): Promise<T> {
  const [{ whereIs }, { ControlClient }] = await Promise.all([
    import('./where/where.ts'),
    import('../client/control-client.ts'),
  ])
  const control = new ControlClient(await whereIs({}).control(), { signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    return await use(control)
  } finally {
    await control.close()
  }
}

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
  commandNode((await load())(all), { all, words, summary })

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
