import type { Command } from 'commander'
import {
  CHECK_MEANINGS,
  checkWebhook,
  problemOf,
  type SavedWebhook,
  type WebhookCheck,
} from '../../../contract/webhook-check.ts'
import { newCommand } from '../../command-table.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { tolerance } from '../../flag-values.ts'
import { textOrStdin } from '../../named-file.ts'
import { type OutputFlags, outputFlags } from '../../output/formats.ts'
import { openPrinter } from '../../output/printer.ts'
import { drawRecord } from '../../output/record.ts'
import type { View } from '../../output/view.ts'
import { readSaved } from '../../webhooks/saved.ts'
import { readSecrets, SECRET_FILE } from '../../webhooks/secret.ts'

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks verify')
      .description('Check whether a saved webhook has a valid signature, and if not, print why.')
      .option(...SECRET_FILE)
      .option(
        '--headers <file>',
        'read the headers from this file: lines, JSON, or a line of `listen -o jsonl`; - means stdin',
      )
      .option('--id <id>', 'value of the webhook-id header')
      .option('--timestamp <seconds>', 'value of the webhook-timestamp header')
      .option('--signature <text>', 'value of the webhook-signature header')
      .option('--body <file>', 'read the body from this file, if the --headers file has none; - means stdin')
      .option(
        '--tolerance <duration>',
        'largest age of the webhook, or none for any age (default: 5m)',
        tolerance,
      ),
  )
    .addHelpText(
      'after',
      `
The exit code is 0 if the webhook is valid, and 3 if it is not. The result is printed to stdout.
The age is measured up to the time of receipt, if a line of \`listen\` has it, and up to now otherwise.

Examples:
  paysim webhooks verify --secret-file secret.txt --headers webhook.jsonl
  paysim webhooks verify --secret-file secret.txt --headers request.http --tolerance none
  paysim webhooks verify --headers headers.json --body body.json -o json
  paysim webhooks verify --id evt_123 --timestamp 1795302243 --signature v1,abc= --body - < body.json`,
    )
    .action(verify)

interface VerifyFlags extends OutputFlags {
  readonly secretFile?: string
  readonly headers?: string
  readonly id?: string
  readonly timestamp?: string
  readonly signature?: string
  readonly body?: string
  /** Infinite for any age. */
  readonly tolerance?: number
}

async function verify(flags: VerifyFlags): Promise<void> {
  const printer = openPrinter(flags)
  refuseTwoStdins(flags)
  const secrets = await readSecrets(flags.secretFile)
  const saved = await readGiven(flags)
  const body = flags.body === undefined ? saved.body : await textOrStdin(flags.body, '--body')
  if (body === undefined)
    throw new UsageError(
      'the body is missing: give its file with --body, or a --headers file that contains it',
    )
  const { headers, receivedAt: now = Date.now() } = saved
  const checks = checkWebhook({ headers, body, secrets, now, toleranceMs: flags.tolerance })
  const verdict: Verdict = {
    valid: problemOf(checks) === null,
    id: headers['webhook-id'] ?? null,
    checks: checks.map(({ check, problem }) => ({ check, fault: problem })),
  }
  if (!verdict.valid) process.exitCode = EXIT.credentials
  await printer.show({ body: verdict }, verdictView)
}

function refuseTwoStdins({ secretFile, headers, body }: VerifyFlags): void {
  const given = Object.entries({ '--secret-file': secretFile, '--headers': headers, '--body': body })
    .filter(([, path]) => path === '-')
    .map(([flag]) => flag)
  if (given.length > 1)
    throw new UsageError(`${given.join(' and ')} cannot both read stdin: give a file for one of them`)
}

async function readGiven({ headers: file, id, timestamp, signature }: VerifyFlags): Promise<SavedWebhook> {
  const single = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const given = Object.entries(single).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  if (file === undefined && given.length < 3)
    throw new UsageError(
      'the headers are missing: give their file with --headers, or give --id, --timestamp and --signature',
    )
  const saved = file === undefined ? { headers: {} } : readSaved(await textOrStdin(file, '--headers'), file)
  return { ...saved, headers: { ...saved.headers, ...Object.fromEntries(given) } }
}

/** The result of a check, as it is printed. */
interface Verdict {
  readonly valid: boolean
  readonly id: string | null
  /** `fault` is a name on the wire. It says why a check failed. */
  readonly checks: readonly { readonly check: WebhookCheck['check']; readonly fault: string | null }[]
}

const verdictView: View<Verdict> = {
  human({ valid, id, checks }, screen) {
    const { paint } = screen
    const title = valid ? paint.green('valid') : paint.red('not valid')
    const fields = checks.map(({ check, fault }) => ({
      label: check,
      value: fault ?? CHECK_MEANINGS[check],
      paint: fault === null ? paint.green : paint.red,
    }))
    return `${[title, ...(id === null ? [] : [id])].join('  ')}\n${drawRecord(fields, screen)}`
  },
}
