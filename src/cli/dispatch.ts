import type { CommandTable } from './command-table.ts'

/** Finds the command that the words name, and runs it with the rest of them. */
export async function dispatch(
  table: CommandTable,
  argv: readonly string[],
  path: readonly string[] = [],
  all: CommandTable = table,
): Promise<void> {
  const [name = '--help', ...rest] = argv
  if (name === '--help' || name === '-h') return showHelp(table, path)
  if (name === 'help') return dispatch(table, [...rest, '--help'], path, all)
  const found = Object.hasOwn(table, name) ? table[name] : undefined
  if (!found) return refuse(table, path, name)
  if ('commands' in found) return dispatch(found.commands, rest, [...path, name], all)
  const { command } = await found.load()
  await command(all).parseAsync(rest, { from: 'user' })
}

async function showHelp(table: CommandTable, path: readonly string[]): Promise<void> {
  const { groupHelp } = await import('./group-help.ts')
  process.stdout.write(groupHelp(table, path))
}

async function refuse(table: CommandTable, path: readonly string[], name: string): Promise<void> {
  const { closest } = await import('../contract/closest.ts')
  const words = ['paysim', ...path].join(' ')
  const meant = closest(name, Object.keys(table))
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const what = name.startsWith('-')
    ? `an option stands behind its command, and ${name} behind none${hint}`
    : `unknown command ${name}${hint}`
  process.stderr.write(`${words}: ${what}\n\`${words} --help\` lists the commands.\n`)
  process.exitCode = 2
}
