import { type AddHelpTextContext, type AddHelpTextPosition, Command, Help, type Option } from 'commander'
import { fill, fillParagraphs, helpWidth, wrapMessage } from './help-text.ts'

/** A command and its module, which is loaded only when the command is called. */
interface Leaf {
  readonly summary: string
  /** `completion` needs the whole table, so every command gets it. */
  readonly load: () => Promise<(all: CommandTable) => Command>
}

/** Commands that share their first words, such as `payments create` and `payments get`. */
interface Group {
  readonly summary: string
  /** A function if they are loaded only when one of them is called. */
  readonly commands: CommandTable | (() => Promise<CommandTable>)
  /** The command that is run if the user names none. */
  readonly alone?: string
}

export type CommandTable = { readonly [name: string]: Leaf | Group }

export const commandsOf = async ({ commands }: Group): Promise<CommandTable> =>
  typeof commands === 'function' ? commands() : commands

/** A command whose usage errors end with exit code 2, and are printed on stderr like all errors of paysim. */
export function newCommand(name: string): Command {
  const command = new PaysimCommand(`paysim ${name}`)
  return command
    .showSuggestionAfterError(true)
    .showHelpAfterError(`\`paysim ${name} --help\` lists the options.`)
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
    .configureOutput({
      writeErr: text => process.stderr.write(wrapMessage(text)),
      outputError: (text, write) => write(withOption(text, command).replace(/^error: /, 'paysim: ')),
    })
    .configureHelp({ helpWidth: helpWidth(), minWidthToWrap: 24 })
}

/** Commander suggests what is spelled alike. An option may also be named by one of its words: `--method`. */
function withOption(text: string, { options }: Command): string {
  const [, flag] = /^error: unknown option '(--[a-z-]+)'\n$/.exec(text) ?? []
  const words = (long: string) => long.slice(2).split('-')
  const named = flag === undefined ? [] : words(flag)
  const [meant, other] = options.filter(
    ({ long }) => long !== undefined && named.length > 0 && named.every(word => words(long).includes(word)),
  )
  return meant && !other ? `${text}(Did you mean ${meant.long}?)\n` : text
}

/** The headings of options that many commands have. `paysim help options` describes them once. */
export const COMMON = {
  output: 'Output options:',
  call: 'Call options:',
  target: 'Target options:',
} as const

const isCommon = ({ helpGroupHeading }: Option) =>
  Object.values<string | undefined>(COMMON).includes(helpGroupHeading)

class PaysimCommand extends Command {
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    const filled = typeof text === 'string' ? fillParagraphs(text, helpWidth()) : text
    // The two overloads of commander take one type each.
    return super.addHelpText(position, filled as string)
  }

  override createHelp(): LeafHelp {
    return Object.assign(new LeafHelp(), this.configureHelp())
  }
}

/** Describes a command's own options, and only names those that many commands have. */
class LeafHelp extends Help {
  #isPrinted = false

  /** What a mistyped option may have meant is looked up among all of them. */
  override visibleOptions(command: Command): Option[] {
    const all = super.visibleOptions(command)
    return this.#isPrinted && all.some(isCommon)
      ? all.filter(option => !isCommon(option) && option.long !== '--help')
      : all
  }

  /** An empty list as the default of a repeatable option says nothing. */
  override optionDescription(option: Option): string {
    return super.optionDescription(option).replace(/ \(default: \[\]\)$/, '')
  }

  override formatHelp(command: Command, helper: Help): string {
    this.#isPrinted = true
    const names = command.options.filter(isCommon).map(({ short, long }) => short ?? long)
    const own = super.formatHelp(command, helper)
    if (names.length === 0) return own
    return `${own}\n${fill(`Options of every call: \`paysim help options\` (${names.join(', ')})`, helpWidth(), 2)}\n`
  }
}
