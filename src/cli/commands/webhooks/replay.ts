import { type Command, InvalidArgumentError } from 'commander'
import {
  type EventName,
  eventMeant,
  OPTIONAL_EVENTS,
  STANDARD_EVENTS,
} from '../../../contract/event-names.ts'
import { newCommand } from '../../command-table.ts'
import { webhookTarget } from '../../flag-values.ts'
import { outputFlags } from '../../output/formats.ts'
import type { ReplayFlags, SendFlags } from '../../webhooks/replay.ts'

const ENDS = `The exit code is 0 if everything was answered 2xx, 10 if something was refused, and 7 if there was no answer.`

export const replay = (): Command =>
  outputFlags(
    newCommand('webhooks replay')
      .description('Send saved webhooks again to a URL, one after another.')
      .argument(
        '<file...>',
        'files of `webhooks receive --save`, lines of `listen -o jsonl`, or HTTP requests',
      )
      .requiredOption('--to <url>', 'URL to send them to', webhookTarget)
      .option('--edit', 'change each body in an editor first (VISUAL or EDITOR); needs the secret')
      .option(
        '--secret-file <file>',
        'sign afresh, for the present time, with the secret in this file (default: PAYSIM_WEBHOOK_SECRET)',
      ),
  )
    .addHelpText(
      'after',
      `
With a secret, webhook-timestamp and webhook-signature are new. Without one, everything is as it was, and a receiver that
checks the time refuses a webhook that is more than 5 minutes old. The id stays, so that your application sees a repeated
event; with --edit, the id in the body is also that of the webhook.
${ENDS}

Examples:
  paysim webhooks replay hooks/webhook-0001.json --to localhost:3000/webhooks --secret-file secret.txt
  paysim webhooks replay hooks/*.json --to localhost:3000/webhooks -o jsonl
  paysim webhooks replay hooks/webhook-0001.json --to localhost:3000/webhooks --edit --secret-file secret.txt`,
    )
    .action(async (files: string[], flags: ReplayFlags) => {
      const webhooks = await import('../../webhooks/replay.ts')
      await webhooks.replay(files, flags)
    })

export const send = (): Command =>
  outputFlags(
    newCommand('webhooks send')
      .description('Send an invented event to a URL, signed, without a simulator.')
      .argument('<type>', 'what it reports, such as payment.succeeded', eventName)
      .requiredOption('--to <url>', 'URL to send it to', webhookTarget)
      .option(
        '--secret-file <file>',
        "read the endpoint's secret from this file; - means stdin (default: PAYSIM_WEBHOOK_SECRET)",
      )
      .option('--data <file>', 'members of its data that replace others, in this JSON or YAML file'),
  )
    .addHelpText(
      'after',
      `
The event has an id of its own, and is about a record that no server knows. \`paysim sim events send\` lets the simulator
send one to its endpoints, with the normal retries.
${ENDS}

Examples:
  paysim webhooks send payment.succeeded --to localhost:3000/webhooks --secret-file secret.txt
  paysim webhooks send payment.failed --to localhost:3000/webhooks --data order.json -o json`,
    )
    .action(async (type: EventName, flags: SendFlags) => {
      const webhooks = await import('../../webhooks/replay.ts')
      await webhooks.send(type, flags)
    })

function eventName(text: string): EventName {
  const names: readonly EventName[] = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]
  const known = names.find(name => name === text)
  if (known !== undefined) return known
  const meant = eventMeant(text)
  throw new InvalidArgumentError(
    `${meant === undefined ? '' : `Did you mean ${meant}? `}The types are ${names.join(', ')}.`,
  )
}
