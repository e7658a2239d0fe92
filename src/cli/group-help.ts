import type { CommandTable } from './command-table.ts'

/** What a group's help says beside its commands. */
const EXAMPLES: Readonly<Record<string, string>> = {
  '': `  paysim serve                              a gateway on http://127.0.0.1:7297, kept in ./.paysim
  paysim payments create                    asks for what it needs, and shows the command it made
  paysim payouts list --all -o jsonl        every payout, a line each
  paysim exec -- npm test                   a test suite with a gateway of its own`,
}

export function groupHelp(table: CommandTable, path: readonly string[], alone?: string): string {
  const words = ['paysim', ...path].join(' ')
  const title =
    path.length === 0 ? `paysim ${PAYSIM_VERSION}: a local payment gateway for merchants' tests\n\n` : ''
  const width = Math.max(...Object.keys(table).map(name => name.length))
  const lines = Object.entries(table).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  const examples = EXAMPLES[path.join(' ')]
  return `${title}Usage: ${words} COMMAND [options]

Commands:
${lines.join('\n')}
${examples === undefined ? '' : `\nExamples:\n${examples}\n`}
${alone === undefined ? '' : `\`${words}\` alone means \`${words} ${alone}\`.\n`}\`${words} COMMAND --help\` tells more of one.
`
}
