import { type Command, Help } from 'commander'
import { COMMON, type CommandTable } from './command-table.ts'
import { fill, fillParagraphs, helpWidth } from './help-text.ts'

/** The examples in the help of each group. */
const EXAMPLES: Readonly<Record<string, string>> = {
  '': `  paysim serve                        run a gateway on port 7297
  paysim payments create              create a payment, asking for its fields
  paysim payouts list --all -o jsonl  list all payouts, one per line
  paysim exec -- npm test             run a test suite with its own gateway`,
  methods: `  paysim methods list --amount "1,234.50 THB" --country TH`,
  payments: `  paysim payments create               create a payment, asking for its fields
  paysim payments wait pi_123 && ship  continue when the payment has succeeded
  paysim payments submit-receipt pi_123 --file slip.jpg`,
  payouts: `  paysim payouts list --status requires_approval --created-after 7d
  paysim payouts list --all -o csv > payouts.csv`,
  webhooks: `  paysim webhooks listen --forward-to http://localhost:3000/hooks`,
  profile: `  paysim profile add staging --base-url https://api.example/v1 --key-file keys.txt
  paysim profile use staging`,
  scenario: `  paysim scenario new checkout.yaml
  paysim scenario new --example explore`,
  sim: `  paysim sim status                   show the running simulator
  paysim sim payments succeed pi_123  make a payment succeed
  paysim sim clock advance 24h        advance the clock by a day`,
}

export function groupHelp(table: CommandTable, path: readonly string[], alone?: string): string {
  const words = ['paysim', ...path].join(' ')
  const title =
    path.length === 0 ? `paysim ${PAYSIM_VERSION}: a local payment gateway for merchants' tests\n\n` : ''
  const indent = 4 + Math.max(...Object.keys(table).map(name => name.length))
  const lines = Object.entries(table).map(
    ([name, { summary }]) => `  ${name}`.padEnd(indent) + fill(summary, helpWidth(), indent),
  )
  const examples = EXAMPLES[path.join(' ')]
  return `${title}Usage: ${words} COMMAND [options]

Commands:
${lines.join('\n')}
${examples === undefined ? '' : fillParagraphs(`\nExamples:\n${examples}\n`, helpWidth())}
${alone === undefined ? '' : `\`${words}\` alone runs \`${words} ${alone}\`.\n`}${fillParagraphs(`\`${words} COMMAND --help\` describes one command, and \`paysim help options\` the options of every call.`, helpWidth())}
`
}

/** What `paysim help options` prints: the options that the help of each command only names. */
export async function commonOptionsHelp(): Promise<string> {
  const { merchantCommand } = await import('./call/session.ts')
  const { controlCommand } = await import('./control/session.ts')
  const merchant = merchantCommand('of the merchant API', bare, { changes: true, list: true })
  const control = controlCommand('of a simulator', bare, { asks: true, list: true })
  const about = fill(
    'These options are the same in all commands that have them. `paysim COMMAND --help` names those that a command has.',
    helpWidth(),
  )
  return [
    `${about}\n`,
    section('Output', merchant, [COMMON.output]),
    section('Calls of the merchant API (payments, payouts, methods, request)', merchant, OF_CALLS),
    section('Calls of a simulator (sim, webhooks listen)', control, OF_CALLS),
  ].join('\n')
}

const bare = (command: Command) => command
const OF_CALLS: readonly string[] = [COMMON.call, COMMON.target]

function section(title: string, command: Command, headings: readonly string[]): string {
  const help = Object.assign(new Help(), command.configureHelp())
  const options = command.options.filter(({ helpGroupHeading = '' }) => headings.includes(helpGroupHeading))
  const width = Math.max(...options.map(option => help.optionTerm(option).length))
  const items = options.map(option =>
    help.formatItem(help.optionTerm(option), width, help.optionDescription(option), help),
  )
  return help.formatItemList(`${title}:`, items, help).join('\n')
}
