import type { Command } from 'commander'

/** A command, and where it lives: only the one that is called is loaded. */
interface Leaf {
  readonly summary: string
  /** What is made is handed the whole table, for the one that has to do with all of them. */
  readonly load: () => Promise<{ readonly command: (all: CommandTable) => Command }>
}

/** Commands about one thing, called by two words or more. */
interface Group {
  readonly summary: string
  readonly commands: CommandTable
  /** The one that is meant where none is named. */
  readonly alone?: string
}

export type CommandTable = { readonly [name: string]: Leaf | Group }
