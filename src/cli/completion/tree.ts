import { type Argument, type Command, Help, type Option } from 'commander'
import { type CommandTable, commandsOf } from '../command-table.ts'
import type { Known } from './known-values.ts'

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

export const HELP: OptionNode = {
  names: ['--help', '-h'],
  description: 'display help',
  flags: '-h, --help',
  heading: 'Options:',
  value: null,
}

export const VERSION: OptionNode = {
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
      return commandNode((await entry.load()).command(all), place)
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

export function commandNode(command: Command, { words, summary }: GroupContext): CommandNode {
  const help = command.createHelp()
  return {
    words,
    summary,
    description: command.description(),
    usage: help.commandUsage(command),
    arguments: command.registeredArguments.map(argument => argumentNode(argument, words)),
    options: new Help()
      .visibleOptions(command)
      .map(option => optionNode(option, help.optionDescription(option))),
    more: textBelow(command),
    commands: [],
    alone: null,
  }
}

/** Options that take values of this machine. */
const KNOWN_BY_OPTION: Readonly<Record<string, Known>> = {
  '--profile': 'profiles',
  '--account': 'accounts',
  '--payment-method': 'methods',
}

/** Commands for an existing profile. */
const OF_A_PROFILE = new Set(['profile set', 'profile use', 'profile show', 'profile remove'])

function argumentNode(argument: Argument, words: readonly string[]): ArgumentNode {
  const { required, description, variadic, argChoices = [] } = argument
  const name = argument.name()
  return {
    name,
    required,
    description,
    choices: argChoices,
    file: /^(?:file|dir)s?$/.test(name) || (name === 'path' && description.includes('file')),
    repeatable: variadic,
    body: false,
    many: false,
    known: name === 'name' && OF_A_PROFILE.has(words.join(' ')) ? 'profiles' : null,
  }
}

function optionNode(
  { flags, long, short, helpGroupHeading, ...option }: Option,
  description: string,
): OptionNode {
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
            file: /^(?:file|dir|image)$/.test(name) || long === '--transcript',
            body: long === '--data' && /^(?:json|body)$/.test(name),
            // The help of every such option mentions commas.
            many: /\bcommas?\b/.test(description),
            known: KNOWN_BY_OPTION[long ?? ''] ?? null,
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
