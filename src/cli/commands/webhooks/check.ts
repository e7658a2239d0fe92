import { type Command, InvalidArgumentError } from 'commander'
import { ENDPOINT_KINDS, type EndpointKind } from '../../../application/disturbance.ts'
import { newCommand } from '../../command-table.ts'
import { commaSeparated, didYouMean, milliseconds, webhookTarget } from '../../flag-values.ts'
import { outputFlags } from '../../output/formats.ts'
import type { CheckFlags } from '../../webhooks/check.ts'

const KINDS_IN_WORDS = ENDPOINT_KINDS.join(', ')

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks check')
      .description(
        'Send repeated, late, forged and other webhooks to an endpoint, and report what it does not survive.',
      )
      .argument('<url>', 'webhook endpoint of your application', webhookTarget)
      .option(
        '--secret-file <file>',
        "read the endpoint's secret from this file; - means stdin (default: PAYSIM_WEBHOOK_SECRET)",
      )
      .option(
        '--state <command>',
        "command that prints your application's state, to compare it with the state after one ordinary event",
      )
      .option(
        '--event <file>',
        'send the event in this JSON or YAML file, for a payment that your application knows (default: invented payments)',
      )
      .option('--only <kinds>', 'try only these kinds, separated by commas', kinds)
      .option('--skip <kinds>', 'try all kinds except these, separated by commas', kinds)
      .option(
        '--within <duration>',
        'how long the state may take to change after an event (default: 2s)',
        milliseconds,
      ),
  )
    .addHelpText(
      'after',
      `
The kinds are ${KINDS_IN_WORDS}.

The command for --state runs in a shell, with PAYSIM_PAYMENT_ID, PAYSIM_MERCHANT_REFERENCE and PAYSIM_EVENT_ID of the
current event. Without --state, only the answers are checked.

The exit code is 0 if there are no findings, 10 if there are some, and 7 if the endpoint does not answer.
\`paysim explore\` checks more: it runs a scenario with your application, and disturbs its calls too.

Examples:
  paysim webhooks check http://localhost:3000/webhooks --secret-file secret.txt
  paysim webhooks check localhost:3000/webhooks --state 'curl -s localhost:3000/shipments'
  paysim webhooks check localhost:3000/webhooks --event paid.json --state 'sqlite3 shop.db "select * from orders"'`,
    )
    .action(async (url: URL, flags: CheckFlags) => {
      const { check } = await import('../../webhooks/check.ts')
      await check(url, flags)
    })

const kinds = (text: string, before: readonly EndpointKind[] = []): EndpointKind[] => [
  ...before,
  ...commaSeparated(text).map(kindNamed),
]

function kindNamed(word: string): EndpointKind {
  const kind = ENDPOINT_KINDS.find(known => known === word)
  if (kind !== undefined) return kind
  throw new InvalidArgumentError(`${didYouMean(word, ENDPOINT_KINDS)}The kinds are ${KINDS_IN_WORDS}.`)
}
