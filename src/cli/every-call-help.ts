import { type Command, Help } from 'commander'
import { merchantCommand } from './call/session.ts'
import { COMMON } from './command-table.ts'
import { controlCommand } from './control/flags.ts'
import { fill, helpWidth } from './help-text.ts'

/** What `paysim help options` prints: the options that the help of each command only names. */
export function commonOptionsHelp(): string {
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
