import { type Command, InvalidArgumentError, Option } from 'commander'
import { eventMeant, OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../../contract/event-names.ts'
import { WEBHOOK_SECRET } from '../../../contract/redact.ts'
import { controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { atLeastOne, commaSeparated, milliseconds, port, webhookTarget } from '../../flag-values.ts'
import { outputFlags } from '../../output/formats.ts'
import type { ListenFlags } from '../../webhooks/listen.ts'

const EVENTS = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']

export const command = (): Command =>
  controlCommand(
    'webhooks listen',
    declare =>
      outputFlags(
        declare
          .description("Receive the simulator's webhooks, show them, and forward them.")
          .option(
            '--forward-to <url>',
            'forward each webhook to this URL, with its original headers and body',
            webhookTarget,
          )
          .addOption(
            new Option(
              '--events <name>',
              'receive only these event types; separate several with commas, or repeat the option',
            )
              .choices(EVENTS)
              .argParser(events),
          )
          .option('--count <n>', 'stop with exit code 0 after this many webhooks', atLeastOne)
          .option('--timeout <duration>', 'stop with exit code 8 after this time, such as 30s', milliseconds)
          .option('--port <port>', 'port to listen on (default: any free port)', port)
          .option(
            '--secret <secret>',
            'sign with this secret (whsec_…) from now on, instead of the saved one',
            secret,
          )
          .option('--keep', 'leave the endpoint registered at the end, and receive missed webhooks next time')
          .option('--print-secret', 'print the signing secret to stderr'),
      ).addHelpText(
        'after',
        `
The command registers its own endpoint at the simulator, and removes it at the end unless you set --keep. The signing
secret is saved in the data directory, so it stays the same. If the simulator restarts, the command reconnects. The
simulator gets the answer of your application, so it sends a rejected webhook again later. If nothing listens
at the forward URL, the answer is 502.
With -o jsonl, each webhook is one line, which \`paysim webhooks verify\` can read.

Examples:
  paysim webhooks listen
  paysim webhooks listen --forward-to http://localhost:3000/webhooks --print-secret
  paysim webhooks listen --events payment.succeeded,payment.failed --account shop.test
  paysim webhooks listen --count 1 --timeout 30s -o jsonl > webhook.jsonl`,
      ),
    { records: false },
  ).action((flags: ListenFlags) =>
    withControl(flags, async session => {
      const { listen } = await import('../../webhooks/listen.ts')
      await listen(session, flags)
    }),
  )

function secret(text: string): string {
  if (WEBHOOK_SECRET.test(text)) return text
  throw new InvalidArgumentError('It must be whsec_, followed by 24 to 64 bytes in base64.')
}

function events(text: string, before: readonly string[] = []): string[] {
  for (const name of commaSeparated(text)) {
    if (EVENTS.includes(name)) continue
    const meant = eventMeant(name)
    const hint = meant === undefined ? '' : `Did you mean ${meant}? `
    throw new InvalidArgumentError(`${hint}Allowed choices are ${EVENTS.join(', ')}.`)
  }
  return commaSeparated(text, before)
}
