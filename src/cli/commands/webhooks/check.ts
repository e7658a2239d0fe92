import { exec } from 'node:child_process'
import { type Command, InvalidArgumentError } from 'commander'
import { ENDPOINT_KINDS, type EndpointKind } from '../../../application/disturbance.ts'
import type { EventBody } from '../../../application/webhook-variants.ts'
import {
  checkEndpoint,
  type EndpointReport,
  EndpointUnreachableError,
  type EndpointVerdict,
} from '../../../explore/endpoint-check.ts'
import { KIND_RULES } from '../../../explore/kinds.ts'
import type { PrintState } from '../../../explore/observed-state.ts'
import { guideTo } from '../../../explore/report.ts'
import { newCommand } from '../../command-table.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { commaSeparated, didYouMean, milliseconds, webhookTarget } from '../../flag-values.ts'
import { readObjectFile } from '../../named-file.ts'
import { type OutputFlags, outputFlags } from '../../output/formats.ts'
import { openPrinter } from '../../output/printer.ts'
import { visible } from '../../output/text.ts'
import type { View } from '../../output/view.ts'
import { optionFor } from '../../values.ts'
import { readSecret, SECRET_FILE } from '../../webhooks/secret.ts'

const KINDS_IN_WORDS = ENDPOINT_KINDS.join(', ')

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks check')
      .description(
        'Send repeated, late, forged and other webhooks to an endpoint, and report what it does not survive.',
      )
      .argument('<url>', 'webhook endpoint of your application', webhookTarget)
      .option(...SECRET_FILE)
      .option(
        '--state <command>',
        "command that prints your application's state, to compare it with the state after one ordinary event",
      )
      .option(
        '--event <file>',
        'send the event in this JSON or YAML file, for a payment that your application knows (default: invented payments)',
      )
      .addOption(
        optionFor('--only <kinds>', 'try only these kinds, separated by commas', { list: true }).argParser(
          kinds,
        ),
      )
      .addOption(
        optionFor('--skip <kinds>', 'try all kinds except these, separated by commas', {
          list: true,
        }).argParser(kinds),
      )
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
    .action(check)

const kinds = (text: string, before: readonly EndpointKind[] = []): EndpointKind[] => [
  ...before,
  ...commaSeparated(text).map(kindNamed),
]

function kindNamed(word: string): EndpointKind {
  const kind = ENDPOINT_KINDS.find(known => known === word)
  if (kind !== undefined) return kind
  throw new InvalidArgumentError(`${didYouMean(word, ENDPOINT_KINDS)}The kinds are ${KINDS_IN_WORDS}.`)
}

interface CheckFlags extends OutputFlags {
  readonly secretFile?: string
  readonly state?: string
  readonly event?: string
  readonly only?: readonly EndpointKind[]
  readonly skip?: readonly EndpointKind[]
  readonly within?: number
}

const STATE_FOLLOWS_WITHIN_MS = 2000

/** Tests one endpoint without a scenario. */
async function check(url: URL, flags: CheckFlags): Promise<void> {
  const printer = openPrinter(flags)
  const { state, event, only = ENDPOINT_KINDS, skip = [], within = STATE_FOLLOWS_WITHIN_MS } = flags
  try {
    const report = await checkEndpoint({
      url: url.href,
      secret: await readSecret(flags.secretFile),
      kinds: ENDPOINT_KINDS.filter(kind => only.includes(kind) && !skip.includes(kind)),
      event: event === undefined ? undefined : await readEvent(event),
      state: state === undefined ? undefined : printedBy(state),
      withinMs: within,
    })
    const shown = viewOf(url.href, report)
    if (!shown.ok) process.exitCode = EXIT.expectationFailed
    await printer.show({ body: shown }, VIEW)
  } catch (error) {
    if (!(error instanceof EndpointUnreachableError)) throw error
    process.stderr.write(`paysim: ${visible(error.message)}\n`)
    process.exitCode = EXIT.noAnswer
  }
}

async function readEvent(file: string): Promise<EventBody> {
  const event = await readObjectFile(file)
  const { id, type, timestamp, data } = event
  const texts = { id, type, timestamp }
  const wrong = Object.entries(texts).find(([, value]) => typeof value !== 'string' || value === '')
  if (wrong) throw new UsageError(`${file}: an event needs the member ${wrong[0]}, which is a text`)
  if (Number.isNaN(Date.parse(String(timestamp))))
    throw new UsageError(`${file}: timestamp must be a time such as 2026-01-31T18:00:00Z`)
  if (typeof data !== 'object' || data === null)
    throw new UsageError(`${file}: an event needs the member data, which is an object`)
  return event as unknown as EventBody
}

const STATE_WITHIN_MS = 30_000
const MOST_STATE_BYTES = 16 * 1024 * 1024
/** The exit codes of shells for a command that they cannot run. */
const NOT_RUN = [126, 127]

/** The stdout of a command, even if the command fails, such as before there is an order. */
const printedBy =
  (command: string): PrintState =>
  ({ event, payment, reference }) =>
    new Promise((resolve, reject) => {
      const env = {
        ...process.env,
        PAYSIM_EVENT_ID: event,
        PAYSIM_PAYMENT_ID: payment,
        PAYSIM_MERCHANT_REFERENCE: reference,
      }
      const limits = { timeout: STATE_WITHIN_MS, maxBuffer: MOST_STATE_BYTES }
      exec(command, { env, ...limits }, (error, stdout, stderr) => {
        const code = error?.code
        if (error && (typeof code !== 'number' || NOT_RUN.includes(code)))
          reject(new UsageError(`--state: ${command} cannot be run: ${stderr.trim() || error.message}`))
        else resolve(stdout)
      })
    })

interface CheckView {
  readonly ok: boolean
  readonly url: string
  readonly checks: readonly ReturnType<typeof verdictView>[]
  readonly notes: readonly string[]
}

const viewOf = (url: string, { verdicts, notes }: EndpointReport): CheckView => ({
  ok: verdicts.every(({ problems }) => problems.length === 0),
  url,
  checks: verdicts.map(verdictView),
  notes,
})

function verdictView({ kind, exchanges, problems }: EndpointVerdict) {
  const rules = kind === 'plain' ? undefined : KIND_RULES[kind]
  return {
    kind,
    ok: problems.length === 0,
    summary: rules?.summary ?? 'an ordinary event, signed',
    problems,
    advice: rules && problems.length > 0 ? rules.advice : null,
    guide: kind === 'plain' ? null : guideTo(kind),
    answers: exchanges.map(({ sent, status, answer, ms }) => ({
      sent,
      status: status === 0 ? null : status,
      answer,
      ms: Math.round(ms * 10) / 10,
    })),
  }
}

const VIEW: View<CheckView> = {
  human({ ok, url, checks, notes }, { paint }) {
    const width = Math.max(...checks.map(({ kind }) => kind.length))
    const found = checks.filter(one => !one.ok).length
    const lines = checks.flatMap(one => {
      const statuses = one.answers.map(({ status }) => status ?? 'no answer').join(', ')
      const mark = one.ok ? paint.green('✓') : paint.red('✗')
      return [
        `${mark} ${one.kind.padEnd(width)}  ${one.summary}: ${statuses}`,
        ...one.problems.map(problem => `    ${paint.red(visible(problem))}`),
        ...(one.advice === null ? [] : [`    What to do: ${one.advice} See ${one.guide}`]),
      ]
    })
    const end = ok ? 'Nothing was found.' : `${found} of ${checks.length} checks found something.`
    return [visible(url), ...lines, ...notes, end].join('\n')
  },
}
