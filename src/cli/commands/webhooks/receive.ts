import type { Command } from 'commander'
import { newCommand } from '../../command-table.ts'
import { atLeastOne, milliseconds, port, tolerance, webhookTarget } from '../../flag-values.ts'
import { outputFlags } from '../../output/formats.ts'
import type { ReceiveFlags } from '../../webhooks/receive.ts'

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks receive')
      .description(
        'Receive webhooks of any gateway through your own tunnel: verify, show, forward and save them.',
      )
      .option('--port <port>', 'port to listen on, on 127.0.0.1 (default: any free port)', port)
      .option(
        '--secret-file <file>',
        "read the endpoint's secrets from this file, one or several; - means stdin (default: PAYSIM_WEBHOOK_SECRET)",
      )
      .option(
        '--forward-to <url>',
        'forward each verified webhook to this URL, with its original headers and body',
        webhookTarget,
      )
      .option('--save <dir>', 'save each verified webhook as a file in this folder, at most 1000')
      .option(
        '--tolerance <duration>',
        'largest age of a webhook, or none for any age (default: 5m)',
        tolerance,
      )
      .option('--count <n>', 'stop with exit code 0 after this many verified webhooks', atLeastOne)
      .option('--timeout <duration>', 'stop with exit code 8 after this time, such as 30s', milliseconds),
  )
    .addHelpText(
      'after',
      `
The command takes POST requests to any path, with bodies of at most 1 MiB. Let your tunnel lead to its port, and register
the tunnel's address at the gateway. The secret file may have several secrets, such as the old and the new one while you
rotate them; it is read again when a signature does not match.
A webhook that is not verified is shown with what is wrong with it, answered 400, and neither forwarded nor saved. The
gateway gets your application's answer to the others, 502 if there is none, and 200 without --forward-to.
\`paysim webhooks replay\` sends saved webhooks again.

Examples:
  paysim webhooks receive --port 4100 --secret-file secret.txt
  paysim webhooks receive --port 4100 --secret-file secret.txt --forward-to localhost:3000/webhooks --save hooks
  paysim webhooks receive --secret-file secret.txt --count 1 --timeout 5m -o jsonl > webhook.jsonl`,
    )
    .action(async (flags: ReceiveFlags) => {
      const { receive } = await import('../../webhooks/receive.ts')
      await receive(flags)
    })
