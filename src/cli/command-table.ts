import type { Command } from 'commander'

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
