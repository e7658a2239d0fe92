import { type AddHelpTextContext, type AddHelpTextPosition, Command, Help, type Option } from 'commander'
import { fillParagraphs, helpWidth } from './help-text.ts'

/** A command and its module, which is loaded only when the command is called. */
interface Leaf {
  readonly summary: string
  /** `completion` needs the whole table, so every command gets it. */
  readonly load: () => Promise<{ readonly command: (all: CommandTable) => Command }>
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
  return new PaysimCommand(`paysim ${name}`)
    .showSuggestionAfterError(true)
    .showHelpAfterError(`\`paysim ${name} --help\` lists the options.`)
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'paysim: ')) })
    .configureHelp({ helpWidth: helpWidth(), minWidthToWrap: 24, optionDescription })
}

class PaysimCommand extends Command {
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    const filled = typeof text === 'string' ? fillParagraphs(text, helpWidth()) : text
    // The two overloads of commander take one type each.
    return super.addHelpText(position, filled as string)
  }
}

/** An empty list as the default of a repeatable option says nothing. */
function optionDescription(option: Option): string {
  const description = new Help().optionDescription(option)
  return description.replace(/ \(default: \[\]\)$/, '')
}
