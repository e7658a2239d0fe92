import { type Command, InvalidArgumentError, Option } from 'commander'
import type { PayoutsQuery } from '../../../client/index.ts'
import { parseDuration } from '../../../contract/durations.ts'
import { PAYOUT_STATUSES } from '../../../contract/statuses.ts'
import { formatTimestamp, parseTimestamp } from '../../../contract/timestamps.ts'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { type Session, withSession } from '../../call/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { countryCode, currencyCode } from '../../fields/field-flags.ts'
import { atLeastOne, count, words } from '../../flag-values.ts'
import { payoutsView } from '../../output/views/payouts.ts'
import { shellWords } from '../../shell-words.ts'
import { PAYOUTS, refuseUnknownStatus } from '../../statuses.ts'

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

export const command = (): Command =>
  merchantCommand(
    'payouts list',
    declare =>
      declare
        .description('Lists payouts, the latest first: one page of them, or all.')
        .addOption(
          new Option('--status <status>', 'only those that stand there; several with commas, or repeated')
            .choices(PAYOUT_STATUSES)
            .argParser(words),
        )
        .option('--any-status', 'let --status name one that only your server has')
        .option('--country <code>', 'only those of a country, such as TH', countryCode)
        .option('--currency <code>', 'only those of a currency, such as THB', currencyCode)
        .option('--merchant-reference <text>', 'only those with exactly this reference')
        .option('--created-after <time>', 'from then on: RFC 3339, or how long ago, as 12h or 7d', instant)
        .option('--created-before <time>', 'until just before then: the same', instant)
        .option('--limit <n>', 'how many, 1 to 100; 25 unless told; with --all, how many in all', atLeastOne)
        .option('--page-size <n>', 'how many to a page, 1 to 100; 100 with --all, unless told', pageSize)
        .option('--cursor <cursor>', 'go on from where a page ended')
        .option('--all', 'page after page, to the end')
        .addHelpText(
          'after',
          `
What is relative to now is reckoned by this machine's clock; -v tells the time that it came to.
If --all is interrupted, or fails, the command that goes on from there is printed on stderr.

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
          return withSession(flags, session => list(session, flags))
        }),
    { list: true },
  )

async function list(session: Session, flags: ListFlags): Promise<void> {
  if (flags.verbose) {
    if (flags.createdAfter) tellResolved('--created-after', flags.createdAfter)
    if (flags.createdBefore) tellResolved('--created-before', flags.createdBefore)
  }
  const { all = false, limit } = flags
  if (!all && limit !== undefined && limit > LARGEST_PAGE)
    throw new UsageError(
      `--limit ${limit}: a page has 1 to ${LARGEST_PAGE}; with --all it is the number of all together`,
    )
  const query = queryOf(flags)
  const goOn = (cursor: string | undefined, remaining = limit) =>
    goOnCommand(process.argv.slice(2), {
      '--limit': remaining === undefined ? undefined : String(remaining),
      '--created-after': query.created_after,
      '--created-before': query.created_before,
      '--cursor': cursor,
    })
  if (all) {
    const { listAll } = await import('./list-all.ts')
    return listAll(session, query, { showHeaders: flags.showHeaders ?? false, most: limit, goOn })
  }
  const answer = await session.client.payouts.list(query, { signal: session.signal }).answer()
  await session.show(answer, payoutsView)
  const { has_more, next_cursor } = answer.body
  if (has_more !== false && next_cursor)
    process.stderr.write(`There are more: --all lists them, and the next page is\n  ${goOn(next_cursor)}\n`)
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

/** How many to ask for at once: no more than are wanted in all. */
function pageOf({ limit, pageSize, all }: ListFlags): number | undefined {
  const size = pageSize ?? (all ? LARGEST_PAGE : undefined)
  if (limit === undefined || size === undefined) return size ?? limit
  return Math.min(limit, size)
}

function pageSize(text: string): number {
  const size = count(text)
  if (size < 1 || size > LARGEST_PAGE)
    throw new InvalidArgumentError(`A page has 1 to ${LARGEST_PAGE}; --all goes through all pages.`)
  return size
}

/** A time as it was said, and as it is sent. */
interface Instant {
  readonly said: string
  readonly sent: string
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** RFC 3339 goes as it is; a duration is that long ago, by this machine's clock. */
function instant(text: string): Instant {
  if (parseTimestamp(text) !== undefined) return { said: text, sent: text }
  const ago = parseDuration(text)
  if (ago !== undefined) return { said: text, sent: formatTimestamp(Date.now() - ago) }
  const hint = DATE.test(text)
    ? ` A day begins at a time, somewhere: ${text}T00:00:00Z, or with an offset.`
    : ''
  throw new InvalidArgumentError(
    `it must be a time as 2026-01-31T18:00:00+07:00, or how long ago: 12h, 7d.${hint}`,
  )
}

function tellResolved(flag: string, { said, sent }: Instant): void {
  if (said !== sent) process.stderr.write(`${flag} ${said} is ${sent}\n`)
}

/** Options and what they are to be from here on, by their names. */
type Settled = Readonly<Record<string, string | undefined>>

/** This command once more, but with these options: what was relative to now is now settled. */
function goOnCommand(argv: readonly string[], settled: Settled): string {
  const options = Object.entries(settled).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  )
  return shellWords(['paysim', ...without(argv, Object.keys(settled)), ...options])
}

function without(argv: readonly string[], names: readonly string[]): string[] {
  return argv.filter((word, at) => {
    const before = argv[at - 1]
    if (before !== undefined && names.includes(before)) return false
    return !names.some(name => word === name || word.startsWith(`${name}=`))
  })
}
