import type { RequestRecord } from '../contract/control/journal.ts'
import type { Why } from '../contract/control/timeline.ts'
import { CONTROL_PREFIX } from '../contract/paths.ts'
import { withoutSecrets } from '../contract/redact.ts'
import { formatTimestamp } from '../contract/timestamps.ts'
import { changedRecord, type DomainEvent, type Entry, type EventOf } from '../domain/events.ts'
import { isSuccess, recordOf, type WebhookEvent } from '../domain/model.ts'
import { type AnsweredRequest, tellRequest } from '../domain/why/request.ts'
import type { AccountRuntime } from '../engine/account/open-runtime.ts'
import { whyRecord } from '../engine/account/why-record.ts'
import { eventSummary, paintEvent, requestWords } from './commands/sim/tables.ts'
import type { Screen } from './output/screen.ts'
import { paintHttpStatus, paintStatus, visible, wrapTo } from './output/text.ts'
import { localTime, relativeTime } from './output/time.ts'

/**
 * What `serve` prints for people, a line at a time: a payment by its reference and its new status, with the reason in the
 * words of `sim why`; each attempt of a webhook; each request, and why it was refused.
 */

interface LogSettings {
  readonly screen: Screen
  /** Also calls of the control surface that only read, and what keeps the simulator running. */
  readonly verbose: boolean
}

export function requestLines(
  record: RequestRecord,
  answered: () => AnsweredRequest,
  { screen, verbose }: LogSettings,
): string {
  const { at, account, status, method, path } = record
  const isLook = (method === 'GET' || method === 'HEAD') && isOfControl(path)
  if (isLook && status < 400 && !verbose) return ''
  return lineOf(at, account, requestWords(record, screen, refusalWords(answered())), screen)
}

const isOfControl = (path: string) => path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)

function refusalWords(answered: AnsweredRequest): string {
  if (answered.fault) return tellRequest(answered)
  const { code, message } = answered
  return code === null ? '' : message === null ? code : `${code}: ${message}`
}

export function entryLines(
  { runtime, entry }: { readonly runtime: AccountRuntime; readonly entry: Entry },
  { screen, verbose }: LogSettings,
): string {
  const { account } = runtime
  const at = formatTimestamp(entry.at)
  const changed = new Set<string>()
  const words = entry.events.flatMap(event => {
    const record = changedRecord(event)
    if (record !== undefined) {
      changed.add(record)
      if (!verbose) return []
    }
    const told = attemptWords(runtime, event, entry.at, screen)
    if (told !== undefined) return [told]
    if (!verbose && record === undefined && !SHOWN.has(event.type)) return []
    return [summaryWords(event, at, screen)]
  })
  const states = [...changed].flatMap(id => {
    const why = whyRecord(runtime, id, [entry])
    return why ? [stateWords(runtime, why, screen)] : []
  })
  return [...words, ...states].map(line => lineOf(at, account.id, line, screen)).join('')
}

/** What the operator sets up. Everything else is told by its payment, payout, webhook or request. */
const SHOWN: ReadonlySet<DomainEvent['type']> = new Set([
  'EndpointAdded',
  'EndpointDisabled',
  'EndpointRemoved',
  'RulesReplaced',
  'RulesPutInFront',
  'FaultsReplaced',
  'CatalogueReplaced',
  'ProviderHealthSet',
])

function summaryWords(event: DomainEvent, at: string, screen: Screen): string {
  const { paint } = screen
  const { what, subject, details } = eventSummary(event, at, screen)
  return [paintEvent(what, paint)(visible(what)), paint.bold(visible(subject)), visible(details)]
    .filter(Boolean)
    .join('  ')
}

/** `payment pi_1 order-1 pending  It waits for the payer …`. */
function stateWords({ account: { world } }: AccountRuntime, why: Why, { paint }: Screen): string {
  const { id, kind, status, sentence } = why
  const reference = (world.payments.get(id) ?? world.payouts.get(id))?.merchantReference ?? null
  return `${kind} ${named(id, reference, paint.bold)} ${paintStatus(status, paint)}  ${visible(sentence)}`
}

/** `payment.succeeded pi_1 order-1 → POST http://localhost:3000/hooks 500 (attempt 2, next in 5 minutes)`. */
function attemptWords(
  { account: { world } }: AccountRuntime,
  event: DomainEvent,
  at: number,
  screen: Screen,
): string | undefined {
  const isDropped = event.type === 'DeliveryQueued' && event.dueAt === null
  if (!isDropped && event.type !== 'AttemptEnded') return undefined
  const delivery = world.deliveries.get(event.delivery)
  if (!delivery) return undefined
  const { paint } = screen
  const sent = world.events.get(delivery.eventId)
  const outcome =
    event.type === 'AttemptEnded'
      ? attemptOutcome(event, delivery, at, screen)
      : paint.yellow('a fault dropped it')
  const what = sent ? `${visible(sent.type)} ${subjectOf(sent)}` : visible(delivery.eventId)
  return `${paint.bold(what)} → POST ${visible(delivery.url)} ${outcome}`
}

function attemptOutcome(
  { result, next }: EventOf<'AttemptEnded'>,
  { attempts, fault }: { readonly attempts: readonly unknown[]; readonly fault: string | null },
  at: number,
  { paint }: Screen,
): string {
  const { status, error } = result
  const answer = status === null ? paint.red(visible(error ?? 'no answer')) : paintHttpStatus(status, paint)
  const isTaken = isSuccess(status)
  const facts = [
    `attempt ${attempts.length}`,
    ...(fault === null ? [] : [`with the fault ${fault}`]),
    ...(next !== null ? [`next ${relativeTime(next, at)}`] : isTaken ? [] : ['the last one']),
  ]
  return `${answer} ${paint.dim(`(${facts.join(', ')})`)}`
}

function subjectOf(event: WebhookEvent): string {
  const record = recordOf(event)
  return record ? named(record.sortKey.id, record.merchantReference) : 'by hand'
}

const named = (id: string, reference: string | null, bold = (text: string) => text) =>
  [bold(visible(id)), ...(reference === null ? [] : [visible(reference)])].join(' ')

const DEFAULT_ACCOUNT = 'default.test'

/** Lines that are too long for a terminal go on below their words, not below their time. */
export function fitLines(lines: string, columns: number, { widthOf }: Pick<Screen, 'widthOf'>): string {
  const indent = ' '.repeat(columns < NARROW ? 0 : '00:00:00  '.length)
  return lines
    .split('\n')
    .map(line =>
      widthOf(line) <= columns ? line : wrapTo(line, columns - indent.length, widthOf).join(`\n${indent}`),
    )
    .join('\n')
}

const NARROW = 40

/** The time is that of the account. Logs are stored and forwarded, so they have no secrets. */
function lineOf(at: string, account: string | null, words: string, { paint, timeZone }: Screen): string {
  const time = paint.dim(localTime(Date.parse(at), timeZone).slice(11, 19))
  const whose = account === null || account === DEFAULT_ACCOUNT ? [] : [paint.dim(account)]
  return `${[time, ...whose, withoutSecrets(words)].join('  ')}\n`
}
