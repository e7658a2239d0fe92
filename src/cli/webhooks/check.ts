import { exec } from 'node:child_process'
import { ENDPOINT_KINDS, type EndpointKind } from '../../application/disturbance.ts'
import type { EventBody } from '../../application/webhook-variants.ts'
import {
  checkEndpoint,
  type EndpointReport,
  EndpointUnreachableError,
  type EndpointVerdict,
} from '../../explore/endpoint-check.ts'
import { KIND_RULES } from '../../explore/kinds.ts'
import type { PrintState } from '../../explore/observed-state.ts'
import { guideTo } from '../../explore/report.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { readObjectFile } from '../named-file.ts'
import type { OutputFlags } from '../output/formats.ts'
import { openPrinter } from '../output/printer.ts'
import { visible } from '../output/text.ts'
import type { View } from '../output/view.ts'
import { readSecret } from './secret.ts'

export interface CheckFlags extends OutputFlags {
  readonly secretFile?: string
  readonly state?: string
  readonly event?: string
  readonly only?: readonly EndpointKind[]
  readonly skip?: readonly EndpointKind[]
  readonly within?: number
}

const STATE_FOLLOWS_WITHIN_MS = 2000

/** `webhooks check`: tests one endpoint without a scenario. */
export async function check(url: URL, flags: CheckFlags): Promise<void> {
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
