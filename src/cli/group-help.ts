import type { CommandTable } from './command-table.ts'

/** What a group's help says beside its commands. */
const EXAMPLES: Readonly<Record<string, string>> = {
  '': `  paysim serve                              a gateway on http://127.0.0.1:7297, kept in ./.paysim
  paysim payments create                    asks for what it needs, and shows the command it made
  paysim payouts list --all -o jsonl        every payout, a line each
  paysim exec -- npm test                   a test suite with a gateway of its own`,
  methods: `  paysim methods list --amount "1,234.50 THB" --country TH`,
  payments: `  paysim payments create                    asks for what it needs, and shows the command it made
  paysim payments wait pi_123 && ship       goes on once the money is there
  paysim payments submit-receipt pi_123 --file slip.jpg`,
  payouts: `  paysim payouts list --status requires_approval --created-after 7d
  paysim payouts list --all -o csv > payouts.csv`,
  webhooks: `  paysim webhooks listen --forward-to http://localhost:3000/hooks`,
  profile: `  paysim profile add staging --base-url https://api.example/v1 --key-file keys.txt
  paysim profile use staging`,
  scenario: `  paysim scenario new checkout.yaml`,
  sim: `  paysim sim status                         what runs here
  paysim sim payments succeed pi_123        the payer paid
  paysim sim clock advance 24h              a day passes, with all that comes due in it`,
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
