import { type Command, InvalidArgumentError, Option } from 'commander'
import { eventMeant, OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../../contract/event-names.ts'
import { controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { atLeastOne, milliseconds, port, webhookTarget, words } from '../../flag-values.ts'
import { outputFlags } from '../../output/flags.ts'
import { SECRET } from '../../webhooks/kept-secret.ts'
import type { ListenFlags } from '../../webhooks/listen.ts'

const EVENTS = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']

export const command = (): Command =>
  controlCommand(
    'webhooks listen',
    declare =>
      outputFlags(
        declare
          .description("Receives the simulator's webhooks, shows them, and passes them on.")
          .option(
            '--forward-to <url>',
            'where they go, with their headers and bytes as they came',
            webhookTarget,
          )
          .addOption(
            new Option(
              '--events <name>',
              'which; several with commas, or repeated (default: those that are on)',
            )
              .choices(EVENTS)
              .argParser(events),
          )
          .option('--count <n>', 'end with 0 after so many', atLeastOne)
          .option('--timeout <duration>', 'end with 8 after this long, as 30s', milliseconds)
          .option('--port <port>', 'where to listen; any free port unless told', port)
          .option(
            '--secret <secret>',
            'sign with this one from now on, as whsec_…; else one that is kept',
            secret,
          )
          .option('--keep', 'leave the endpoint behind in the end: what happens then comes at the next start')
          .option('--print-secret', 'print the secret that they are signed with, on stderr'),
      ).addHelpText(
        'after',
        `
An endpoint of its own is registered at the simulator, and removed in the end, unless --keep leaves it. Its secret is
kept in the data directory, the same at each start. A simulator that is started again is found again. The simulator is answered with what
your application answers, so what that refuses is tried again later; with 502 where nothing listens there.
With -o jsonl each webhook is a line, which \`paysim webhooks verify\` takes as it is.

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

/** `localhost:3000/hooks` is an address too; to URL, its host would be a scheme. */
function secret(text: string): string {
  if (SECRET.test(text)) return text
  throw new InvalidArgumentError('It must be whsec_ and 24 to 64 bytes in base64.')
}

function events(text: string, before: readonly string[] = []): string[] {
  for (const name of words(text)) {
    if (EVENTS.includes(name)) continue
    const meant = eventMeant(name)
    const hint = meant === undefined ? '' : `Did you mean ${meant}? `
    throw new InvalidArgumentError(`${hint}Allowed choices are ${EVENTS.join(', ')}.`)
  }
  return words(text, before)
}
