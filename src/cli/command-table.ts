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
  readonly commands: CommandTable
  /** The command that is run if the user names none. */
  readonly alone?: string
}

export type CommandTable = { readonly [name: string]: Leaf | Group }
