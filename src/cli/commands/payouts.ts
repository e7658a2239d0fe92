import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Command, InvalidArgumentError } from 'commander'
import { type Answer, CursorRepeatedError, type PayoutList, type PayoutsQuery } from '../../client/index.ts'
import { parseDuration } from '../../contract/durations.ts'
import { shellWords } from '../../contract/shell-words.ts'
import { PAYOUT_STATUSES } from '../../contract/statuses.ts'
import { formatTimestamp, parseTimestamp } from '../../contract/timestamps.ts'
import { differences, refuseOtherAnswer } from '../call/other-answer.ts'
import {
  DryRunError,
  type MerchantFlags,
  merchantCommand,
  type Session,
  withSession,
} from '../call/session.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { countryCode, currencyCode } from '../fields/request-fields.ts'
import { atLeastOne, commaSeparated, count } from '../flag-values.ts'
import { CLEAR_LINE } from '../output/door.ts'
import { showHeaders } from '../output/printer.ts'
import { payoutsView, payoutTotals, payoutView } from '../output/views/payouts.ts'
import { confirmLive } from '../prompts/confirm.ts'
import { PAYOUTS, refuseUnknownStatus } from '../statuses.ts'
import { optionFor } from '../values.ts'

interface ListFlags extends MerchantFlags {
  readonly status?: readonly string[]
  readonly anyStatus?: true
  readonly country?: string
  readonly currency?: string
  readonly merchantReference?: string
  readonly createdAfter?: Instant
  readonly createdBefore?: Instant
  readonly limit?: number
  readonly pageSize?: number
  readonly cursor?: string
  readonly all?: true
}

const LARGEST_PAGE = 100

export const list = (): Command =>
  merchantCommand(
    'payouts list',
    declare =>
      declare
        .description('List payouts, newest first: one page, or all.')
        .addOption(
          optionFor(
            '--status <status>',
            'only payouts with this status; separate several with commas, or repeat the option',
            { list: true },
          )
            .choices(PAYOUT_STATUSES)
            .argParser(commaSeparated),
        )
        .option(
          '--any-status',
          'also accept a status that paysim does not know, such as one of a newer server',
        )
        .option('--country <code>', 'only payouts to this country, such as TH', countryCode)
        .option('--currency <code>', 'only payouts in this currency, such as THB', currencyCode)
        .option('--merchant-reference <text>', 'only payouts with exactly this reference')
        .option(
          '--created-after <time>',
          'only payouts from this time on: RFC 3339, or how long ago, such as 12h or 7d',
          instant,
        )
        .option('--created-before <time>', 'only payouts before this time, in the same formats', instant)
        .option(
          '--limit <n>',
          'number of payouts, 1 to 100 (default: 25); with --all, the total number',
          atLeastOne,
        )
        .option('--page-size <n>', 'payouts per page, 1 to 100 (default with --all: 100)', pageSize)
        .option('--cursor <cursor>', 'start after the page that gave this cursor')
        .option('--all', 'list all pages')
        .addHelpText(
          'after',
          `
Relative times use the clock of this machine; -v prints the resulting time.
If --all is interrupted or fails, the command to continue is printed to stderr.

Examples:
  paysim payouts list --status requires_approval
  paysim payouts list --created-after 7d --currency THB
  paysim payouts list --all -o jsonl > payouts.jsonl
  paysim payouts list --all --created-after 2026-01-01T00:00:00+07:00 -o csv
  paysim payouts list --all --limit 500 --columns id,amount,status
  paysim payouts list --status failed,cancelled --all --query id`,
        )
        .action((flags: ListFlags) => {
          if (!flags.anyStatus) refuseUnknownStatus('--status', flags.status ?? [], PAYOUTS)
          return withSession(flags, session => showList(session, flags))
        }),
    { list: true },
  )

async function showList(session: Session, flags: ListFlags): Promise<void> {
  if (flags.verbose) {
    if (flags.createdAfter) reportResolved('--created-after', flags.createdAfter)
    if (flags.createdBefore) reportResolved('--created-before', flags.createdBefore)
  }
  const { all = false, limit } = flags
  if (!all && limit !== undefined && limit > LARGEST_PAGE)
    throw new UsageError(
      `--limit ${limit} is too large: a page has 1 to ${LARGEST_PAGE} payouts; add --all to list more`,
    )
  const query = queryOf(flags)
  const continueWith = (cursor: string | undefined, remaining = limit) =>
    continueCommand(process.argv.slice(2), {
      '--limit': remaining === undefined ? undefined : String(remaining),
      '--created-after': query.created_after,
      '--created-before': query.created_before,
      '--cursor': cursor,
    })
  const check = (answer: Answer<PayoutList>) => refuseOthers(answer, query, flags)
  if (all) {
    return listAll(session, query, {
      showHeaders: flags.showHeaders ?? false,
      most: limit,
      continueWith,
      check,
    })
  }
  const answer = await session.client.payouts.list(query, { signal: session.signal }).answer()
  check(answer)
  await session.show(answer, payoutsView)
  const { has_more, next_cursor } = answer.body
  if (has_more !== false && next_cursor)
    process.stderr.write(
      `There are more payouts. List all with --all, or get the next page with:\n  ${continueWith(next_cursor)}\n`,
    )
}

/** Refuses a page with a payout that the filters exclude. */
function refuseOthers(answer: Answer<PayoutList>, query: PayoutsQuery, flags: ListFlags): void {
  const found = answer.body.data.flatMap((payout, at) =>
    differences({ ...query }, payout, flags).map(({ field, message }) => ({
      field: `data.${at}.${field}`,
      message,
    })),
  )
  refuseOtherAnswer(found.slice(0, 5), answer, 'GET /payout_intents')
}

function queryOf(flags: ListFlags): PayoutsQuery {
  return {
    status: flags.status?.length ? flags.status : undefined,
    country: flags.country,
    currency: flags.currency,
    merchant_reference: flags.merchantReference,
    created_after: flags.createdAfter?.sent,
    created_before: flags.createdBefore?.sent,
    limit: pageOf(flags),
    cursor: flags.cursor,
  }
}

/** The size of a page: no more than the total number. */
function pageOf({ limit, pageSize, all }: ListFlags): number | undefined {
  const size = pageSize ?? (all ? LARGEST_PAGE : undefined)
  if (limit === undefined || size === undefined) return size ?? limit
  return Math.min(limit, size)
}

function pageSize(text: string): number {
  const size = count(text)
  if (size < 1 || size > LARGEST_PAGE)
    throw new InvalidArgumentError(`A page has 1 to ${LARGEST_PAGE} payouts. Use --all to list all pages.`)
  return size
}

/** A time as typed, and as sent. */
interface Instant {
  readonly typed: string
  readonly sent: string
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** RFC 3339 is sent unchanged. A duration is that long ago, by the clock of this machine. */
function instant(text: string): Instant {
  if (parseTimestamp(text) !== undefined) return { typed: text, sent: text }
  const ago = parseDuration(text)
  if (ago !== undefined) return { typed: text, sent: formatTimestamp(Date.now() - ago) }
  const hint = DATE.test(text) ? ` Add a time and an offset to the date, such as ${text}T00:00:00Z.` : ''
  throw new InvalidArgumentError(
    `It must be a time such as 2026-01-31T18:00:00+07:00, or how long ago, such as 12h or 7d.${hint}`,
  )
}

function reportResolved(flag: string, { typed, sent }: Instant): void {
  if (typed !== sent) process.stderr.write(`${flag} ${typed} means ${sent}\n`)
}

/** New values of options, by their names. */
type NewValues = Readonly<Record<string, string | undefined>>

/** The same command with these values of its options: relative times are absolute now. */
function continueCommand(argv: readonly string[], values: NewValues): string {
  const options = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  )
  return shellWords(['paysim', ...without(argv, Object.keys(values)), ...options])
}

function without(argv: readonly string[], names: readonly string[]): string[] {
  return argv.filter((word, at) => {
    const before = argv[at - 1]
    if (before !== undefined && names.includes(before)) return false
    return !names.some(name => word === name || word.startsWith(`${name}=`))
  })
}

interface CancelFlags extends MerchantFlags {
  readonly reason?: string
}

export const cancel = (): Command =>
  merchantCommand(
    'payouts cancel',
    declare =>
      declare
        .description('Cancel a payout that still needs approval.')
        .argument('<id>', 'id of the payout, such as po_123')
        .option('--reason <text>', 'reason to store with the payout and to send with its webhook', reason)
        .addHelpText(
          'after',
          `
Examples:
  paysim payouts cancel po_123
  paysim payouts cancel po_123 --reason 'Paid twice by mistake'
  paysim payouts cancel po_123 --yes -o json`,
        )
        .action((id: string, flags: CancelFlags) =>
          withSession(flags, async session => {
            await confirmLive(flags, session, `cancel the payout ${id}`)
            const { client, signal, show } = session
            await show(await client.payouts.cancel(id, { reason: flags.reason, signal }).answer(), payoutView)
          }),
        ),
    { changes: true },
  )

const LONGEST_REASON = 512

function reason(text: string): string {
  const length = [...text].length
  if (length < 1 || length > LONGEST_REASON)
    throw new InvalidArgumentError(`It must have 1 to ${LONGEST_REASON} characters, not ${length}.`)
  return text
}

interface Options {
  readonly showHeaders: boolean
  /** The command that continues after a cursor, or from the start if there is none yet. */
  readonly continueWith: (cursor: string | undefined, remaining?: number) => string
  /** The total number; undefined for all. */
  readonly most: number | undefined
  /** Throws for a page that is not what was asked for. */
  readonly check: (answer: Answer<PayoutList>) => void
}

/** Writes one page, forgets it, and only then asks for the next one, so that memory does not grow. */
async function listAll(
  { client, printer, signal }: Session,
  query: PayoutsQuery,
  { showHeaders: headersShown, continueWith, most, check }: Options,
): Promise<void> {
  const list = printer.stream(payoutsView)
  const counter = countUp('payouts')
  const totals = payoutTotals()
  const tidy = steadyMemory()
  let next = query.cursor ?? null
  let written = 0
  try {
    for await (const page of client.payouts.pages(query, { signal, most })) {
      counter.hide()
      check(page.answer)
      if (headersShown) showHeaders(page.answer)
      await list.page(page.answer.body)
      next = page.nextCursor
      written += page.payouts.length
      totals.add(page.payouts)
      counter.show(written)
      tidy()
    }
    await list.end()
    counter.end(totals.line())
    if (next !== null)
      process.stderr.write(`There are more payouts than --limit. Continue with:\n  ${continueWith(next)}\n`)
  } catch (error) {
    if (error instanceof DryRunError) throw error
    counter.end()
    // A repeated cursor would lead nowhere the next time, too.
    if (!(error instanceof CursorRepeatedError))
      suggestContinuation(
        written,
        continueWith(next ?? undefined, most === undefined ? undefined : most - written),
      )
    throw error
  }
}

function suggestContinuation(written: number, command: string): void {
  const listed = written === 0 ? 'Nothing was listed' : `${written.toLocaleString('en')} payouts were listed`
  process.stderr.write(`${listed}. Continue with:\n  ${command}\n`)
}

/** A counter for a long listing. */
interface CountUp {
  /** Removes the counter while rows go to the same screen. */
  hide(): void
  show(count: number): void
  /** Removes the counter, and writes a last line if there is one. */
  end(last?: string): void
}

const EVERY_MS = 100

/** Counts on stderr, if that is a terminal. */
function countUp(noun: string): CountUp {
  if (!process.stderr.isTTY) return { hide() {}, show() {}, end() {} }
  const sharesScreen = process.stdout.isTTY === true
  let drawnAt = Number.NEGATIVE_INFINITY
  const clear = () => process.stderr.write(CLEAR_LINE)
  // A reader such as `head` may end the process at any moment.
  process.once('exit', clear)
  return {
    hide() {
      if (sharesScreen) clear()
    },
    show(count) {
      const now = performance.now()
      if (!sharesScreen && now - drawnAt < EVERY_MS) return
      drawnAt = now
      process.stderr.write(`${CLEAR_LINE}${count.toLocaleString('en')} ${noun} …`)
    },
    end(last) {
      process.off('exit', clear)
      process.stderr.write(`${CLEAR_LINE}${last === undefined ? '' : `${last}\n`}`)
    },
  }
}

/** Often enough to keep garbage small, and rarely enough to cost no time. */
const EVERY = 50

/**
 * For long work in equal steps that leave only garbage: call the result after each step, and memory does not grow. On its
 * own, V8 gives garbage more room the longer a process runs: 60 MB after ten thousand payouts, 101 MB after a million.
 */
function steadyMemory(): () => void {
  let steps = 0
  let collect: (() => void) | undefined
  return () => {
    if (++steps % EVERY !== 0) return
    collect ??= collector()
    collect()
  }
}

function collector(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--expose-gc')
  // V8 applies a late flag only to new contexts.
  const gc: unknown = runInNewContext('globalThis.gc')
  return typeof gc === 'function' ? () => gc() : () => {}
}
