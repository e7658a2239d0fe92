import { type CommandTable, commandsOf } from './command-table.ts'

interface CommandGroup {
  readonly table: CommandTable
  readonly path: readonly string[]
  /** The command that is run if the user names only the group. */
  readonly alone?: string | undefined
}

/** Finds the command that the first words name, and runs it with the others. */
export const dispatch = (all: CommandTable, argv: readonly string[]): Promise<void> =>
  descend({ table: all, path: [] }, argv, all)

async function descend(group: CommandGroup, argv: readonly string[], all: CommandTable): Promise<void> {
  const { table, path, alone } = group
  const [name = alone ?? '--help', ...rest] = argv
  if (name === '--help' || name === '-h') return showHelp(group)
  if (name === 'help' && path.length === 0 && rest[0] === 'options') return showCommonOptions()
  if (name === 'help') return descend(group, [...rest, '--help'], all)
  if (alone !== undefined && name.startsWith('-')) return descend(group, [alone, ...argv], all)
  const found = Object.hasOwn(table, name) ? table[name] : undefined
  const other = found ? undefined : sameWord(name, table)
  if (other !== undefined) {
    const words = ['paysim', ...path].join(' ')
    process.stderr.write(`${words} ${name} is called \`${words} ${other}\`\n`)
    return descend(group, [other, ...rest], all)
  }
  if (!found) return refuse(group, argv, all)
  if ('commands' in found)
    return descend({ table: await commandsOf(found), path: [...path, name], alone: found.alone }, rest, all)
  const command = await found.load()
  await command(all).parseAsync(rest, { from: 'user' })
}

/** Words that mean the same. Most groups have one of them, and which one is hard to remember. */
const SAME_WORDS = [
  ['get', 'show'],
  ['add', 'create', 'new'],
  ['remove', 'delete'],
  ['change', 'update'],
]

function sameWord(name: string, table: CommandTable): string | undefined {
  const same = SAME_WORDS.find(words => words.includes(name)) ?? []
  const [found, another] = same.filter(word => Object.hasOwn(table, word))
  return another === undefined ? found : undefined
}

/** What people who have not read the help call a command. */
const CALLED_ELSEWHERE: Readonly<Record<string, string>> = { start: 'serve', server: 'serve', up: 'serve' }

async function showHelp({ table, path, alone }: CommandGroup): Promise<void> {
  const { groupHelp } = await import('./help.ts')
  process.stdout.write(groupHelp(table, path, alone))
}

async function showCommonOptions(): Promise<void> {
  const { commonOptionsHelp } = await import('./help.ts')
  process.stdout.write(await commonOptionsHelp())
}

async function refuse(
  { table, path }: CommandGroup,
  [name = '', ...rest]: readonly string[],
  all: CommandTable,
): Promise<void> {
  const { nearest } = await import('../contract/closest.ts')
  const words = ['paysim', ...path].join(' ')
  const elsewhere = await wordsElsewhere(all, [...path, name], nearest(name, Object.keys(table))?.distance)
  const real = elsewhere?.[0] === 'sim' ? await realGateway(rest) : undefined
  const meant =
    (path.length === 0 && Object.hasOwn(CALLED_ELSEWHERE, name) ? CALLED_ELSEWHERE[name] : undefined) ??
    (elsewhere && !real ? `\`paysim ${elsewhere.join(' ')}\`` : undefined) ??
    nearest(name, Object.keys(table))?.word
  const only = real && `: only a simulator has \`${elsewhere?.slice(1).join(' ')}\`, and calls go to ${real}`
  const hint = only ?? (meant === undefined ? '' : `; did you mean ${meant}?`)
  const what = name.startsWith('-')
    ? `expected a command before ${name}${hint}`
    : `unknown command ${[...path, name].join(' ')}${hint}`
  const { wrapMessage } = await import('./help-text.ts')
  process.stderr.write(wrapMessage(`paysim: ${what}\n\`${words} --help\` lists the commands.\n`))
  process.exitCode = 2
}

/**
 * For `payments list`, the hint is `sim payments list`: one group alone has a command with these words. The last word may be
 * mistyped, if nothing here is spelled more like it: a mistake in `list` must not become `get`.
 */
async function wordsElsewhere(
  all: CommandTable,
  words: readonly string[],
  here = Number.POSITIVE_INFINITY,
): Promise<readonly string[] | undefined> {
  const { nearest } = await import('../contract/closest.ts')
  const [before, last = ''] = [words.slice(0, -1), words.at(-1)]
  const found: { readonly words: readonly string[]; readonly distance: number }[] = []
  for (const [group, entry] of Object.entries(all)) {
    const table = 'commands' in entry ? await tableAt(await commandsOf(entry), before) : {}
    const meant = nearest(last, Object.keys(table))
    // Of the commands of all groups, only the same word is a hint: too many are spelled alike.
    if (meant && (before.length > 0 ? meant.distance < here : meant.distance === 0))
      found.push({ words: [group, ...before, meant.word], distance: meant.distance })
  }
  const least = Math.min(...found.map(({ distance }) => distance))
  const [only, another] = found.filter(({ distance }) => distance === least)
  return another ? undefined : only?.words
}

/** The gateway that the call would go to, if it is no simulator: it has no command of `sim`. */
async function realGateway(argv: readonly string[]): Promise<string | undefined> {
  const { whereIs } = await import('./where/where.ts')
  const given = (flag: string) =>
    argv.find(word => word.startsWith(`${flag}=`))?.slice(flag.length + 1) ??
    (argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : undefined)
  const where = whereIs({ baseUrl: given('--base-url'), profile: given('--profile') })
  // That a profile does not exist is not what is wrong here.
  return where.realGateway().catch(() => undefined)
}

/** The commands below these words, if there are any. */
async function tableAt(table: CommandTable, [name, ...rest]: readonly string[]): Promise<CommandTable> {
  if (name === undefined) return table
  const entry = Object.hasOwn(table, name) ? table[name] : undefined
  return entry && 'commands' in entry ? tableAt(await commandsOf(entry), rest) : {}
}
