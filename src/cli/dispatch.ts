import type { CommandTable } from './command-table.ts'

interface CommandGroup {
  readonly table: CommandTable
  readonly path: readonly string[]
  /** What this group's word means where nothing but options follows it. */
  readonly alone?: string | undefined
}

/** Finds the command that the words name, and runs it with the rest of them. */
export const dispatch = (all: CommandTable, argv: readonly string[]): Promise<void> =>
  descend({ table: all, path: [] }, argv, all)

async function descend(place: CommandGroup, argv: readonly string[], all: CommandTable): Promise<void> {
  const { table, path, alone } = place
  const [name = alone ?? '--help', ...rest] = argv
  if (name === '--help' || name === '-h') return showHelp(place)
  if (name === 'help') return descend(place, [...rest, '--help'], all)
  if (alone !== undefined && name.startsWith('-')) return descend(place, [alone, ...argv], all)
  const found = Object.hasOwn(table, name) ? table[name] : undefined
  if (!found) return refuse(place, name)
  if ('commands' in found)
    return descend({ table: found.commands, path: [...path, name], alone: found.alone }, rest, all)
  const { command } = await found.load()
  await command(all).parseAsync(rest, { from: 'user' })
}

async function showHelp({ table, path, alone }: CommandGroup): Promise<void> {
  const { groupHelp } = await import('./group-help.ts')
  process.stdout.write(groupHelp(table, path, alone))
}

async function refuse({ table, path }: CommandGroup, name: string): Promise<void> {
  const { closest } = await import('../contract/closest.ts')
  const words = ['paysim', ...path].join(' ')
  const meant = closest(name, Object.keys(table))
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const what = name.startsWith('-')
    ? `expected a command before ${name}${hint}`
    : `unknown command ${name}${hint}`
  process.stderr.write(`${words}: ${what}\n\`${words} --help\` lists the commands.\n`)
  process.exitCode = 2
}
