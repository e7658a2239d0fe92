import type { Command } from 'commander'
import { milliseconds } from '../../flag-values.ts'
import { newCommand } from '../../new-command.ts'
import { outputFlags } from '../../output/flags.ts'
import type { VerifyFlags } from '../../webhooks/verify.ts'

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks verify')
      .description('Says whether a webhook that was kept is signed with a secret, and if not, what is wrong.')
      .option('--secret-file <file>', "the endpoint's secret; - is stdin; else PAYSIM_WEBHOOK_SECRET")
      .option('--headers <file>', 'its headers: lines, JSON, or a line of `listen -o jsonl`; - is stdin')
      .option('--id <id>', 'its webhook-id')
      .option('--timestamp <seconds>', 'its webhook-timestamp')
      .option('--signature <text>', 'its webhook-signature')
      .option('--body <file>', 'its body, where the file of the headers has none; - is stdin')
      .option('--tolerance <duration>', 'how old it may be, or none for any age (default: 5m)', tolerance),
  )
    .addHelpText(
      'after',
      `
It ends with 0 when all holds, and with 3 when something does not: what that is, is on stdout.
Its age is reckoned from when it came, where a line of \`listen\` says so, and from now otherwise.

Examples:
  paysim webhooks verify --secret-file secret.txt --headers webhook.jsonl
  paysim webhooks verify --secret-file secret.txt --headers request.http --tolerance none
  paysim webhooks verify --headers headers.json --body body.json -o json
  paysim webhooks verify --id evt_123 --timestamp 1795302243 --signature v1,abc= --body - < body.json`,
    )
    .action(async (flags: VerifyFlags) => {
      const { verify } = await import('../../webhooks/verify.ts')
      await verify(flags)
    })

function tolerance(text: string): number {
  return text === 'none' ? Number.POSITIVE_INFINITY : milliseconds(text)
}
