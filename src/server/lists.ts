import type { ListWindow, Page } from '../contract/control/overview.ts'
import { parseTimestamp } from '../contract/timestamps.ts'
import { comparePositions, FROM_THE_TOP, type Position } from '../domain/list-index.ts'
import { firstOf, type Item, type ListedRecords } from '../domain/table.ts'
import type { Account } from '../engine/account/account.ts'
import { Slice } from '../engine/time/scheduling.ts'
import type { Request } from './http/request.ts'
import { refuseProblems } from './refusal.ts'
import type { SearchIndex } from './search-index.ts'

/**
 * Lists of records, newest first. On the wire they have three forms, all of which name a position in the list: the merchant
 * API has a signed cursor, the lists of the control surface a plain one, and those of the dashboard an anchor with an offset.
 */

const POSITION = /^(-?\d{1,16})\.(\d{1,16})$/

const writePosition = ({ at, ordinal }: Position) => `${at}.${ordinal}`

function readPosition(text: string): Position | undefined {
  const [, at, ordinal] = POSITION.exec(text) ?? []
  return at === undefined ? undefined : { at: Number(at), ordinal: Number(ordinal) }
}

/** A position that its account has signed, so an edited or foreign one is invalid. */
export function writeCursor(account: Pick<Account, 'sign'>, last: Position): string {
  const position = writePosition(last)
  return Buffer.from(`${position}.${account.sign(`cursor/${position}`)}`).toString('base64url')
}

export function readCursor(account: Pick<Account, 'sign'>, cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  const position = readPosition(text.slice(0, Math.max(0, text.lastIndexOf('.'))))
  return position && writeCursor(account, position) === cursor ? position : undefined
}

/**
 * What records are shown as. Of a long list, other calls get their turn in between: a checkpoint may move its records
 * meanwhile, so each part looks anew for those after the last one.
 */
async function rowsOf<R, Row>(
  after: (last: Position | undefined) => Iterable<Item<R>>,
  view: (record: R) => Row,
  most = Number.POSITIVE_INFINITY,
  isWanted: (record: R) => boolean = () => true,
): Promise<{ readonly rows: Row[]; readonly last: Position | undefined }> {
  const rows: Row[] = []
  const slice = new Slice()
  let last: Position | undefined
  for (let isOver = true; isOver; ) {
    if (last) await slice.next()
    isOver = false
    for (const item of after(last)) {
      const { record } = item
      if (isWanted(record)) rows.push(view(record))
      last = item
      if (rows.length >= most) return { rows, last }
      isOver = slice.isOver
      if (isOver) break
    }
  }
  return { rows, last }
}

const justAbove = ({ at, ordinal }: Position): Position => ({ at, ordinal: ordinal + 1 })

interface Part<R> extends Partial<Created> {
  readonly limit?: number
  readonly isWanted?: (record: R) => boolean
}

/** All records of a kind, or those of a span of time, as rows. */
export async function rowsFromOldest<R, Row>(
  records: { items(from?: Position): Iterable<Item<R>> },
  view: (record: R) => Row,
  {
    createdFrom = Number.NEGATIVE_INFINITY,
    createdBefore = Number.POSITIVE_INFINITY,
    limit,
    isWanted,
  }: Part<R> = {},
): Promise<Row[]> {
  function* after(last: Position | undefined) {
    for (const item of records.items(last ? justAbove(last) : { at: createdFrom, ordinal: 0 })) {
      if (item.at >= createdBefore) return
      yield item
    }
  }
  return (await rowsOf(after, view, limit, isWanted)).rows
}

/** All records whose facets match, or `limit` of them after `cursor`. */
export async function pageOf<R, Row>(
  request: Request,
  list: ListedRecords<R>,
  view: (record: R) => Row,
  matches: (facets: readonly string[]) => boolean = () => true,
): Promise<Page<Row>> {
  const { cursor } = request.query as { cursor?: string }
  const limit = limitIn(request)
  const from =
    cursor === undefined ? FROM_THE_TOP : positionIn('cursor', cursor, 'a next_cursor of this list')
  const { rows: data, last } = await rowsOf(after => list.below(after ?? from, matches), view, limit)
  const hasMore = last !== undefined && firstOf(list.below(last, matches), 1).length > 0
  return { data, has_more: hasMore, next_cursor: hasMore ? writePosition(last) : null }
}

/** All of them by default. */
export function limitIn(request: Request): number {
  const { limit: text } = request.query as { limit?: string }
  const limit = text === undefined ? Number.POSITIVE_INFINITY : Number(text)
  if (!(limit >= 1)) throw refuseProblems([{ field: 'limit', message: 'must be a whole number above 0' }])
  return limit
}

function positionIn(field: string, text: string, what: string): Position {
  const position = readPosition(text)
  if (!position) throw refuseProblems([{ field, message: `is not ${what}` }])
  return position
}

/** What only the index for searches can find. */
interface Sought {
  readonly text: string | undefined
  /** Of the values that the index has behind the facets of a record, in the same order. */
  readonly values: readonly ValueTest[]
}
type ValueTest = (value: string | undefined) => boolean

/** A span of time. */
interface Created {
  /** Inclusive. */
  readonly createdFrom: number
  /** Exclusive. */
  readonly createdBefore: number
}

/** The filters of a list. */
export interface Filter extends Created {
  readonly facets: (facets: readonly string[]) => boolean
  /** Undefined if nothing is. */
  readonly search: Sought | undefined
}

const MOST_ROWS = 200

/**
 * The rows `offset` to `offset + limit` of a filtered list, for scrolling to any position. What it costs depends on its rows:
 * to count the others, no record is read.
 */
export async function listWindow<R, Row>(
  request: Request,
  list: ListedRecords<R>,
  index: () => SearchIndex<R>,
  filter: Filter,
  view: (record: R) => Row,
): Promise<ListWindow<Row>> {
  const { anchor: given, offset, limit } = windowIn(request)
  const anchor = given ?? newestIn(list)
  const { from: lowest, to: end } = spanOf(filter)
  const top = isLower(anchor, end) ? anchor : end
  const read = filter.search
    ? searched(index(), filter.search, filter.facets, one(request, 'partial') === 'true')
    : listed(list, filter.facets)
  const { total, exact, items } = await read({ from: lowest, to: top, offset, limit })
  const isNewer = isLower(anchor, lowest) ? lowest : anchor
  const newer = given ? await read({ from: isNewer, to: end, offset: 0, limit: 0 }) : undefined
  return {
    data: items.map(({ record }) => view(record)),
    total,
    exact,
    newer: newer?.total ?? 0,
    anchor: writePosition(anchor),
  }
}

const spanOf = ({ createdFrom, createdBefore }: Created) => ({
  from: { at: createdFrom, ordinal: 0 },
  to: { at: createdBefore, ordinal: 0 },
})

interface Range {
  readonly from: Position
  readonly to: Position
  readonly offset: number
  readonly limit: number
}

const searched =
  <R>(index: SearchIndex<R>, { text, values }: Sought, facets: Filter['facets'], isPartEnough: boolean) =>
  ({ from, to, offset, limit }: Range) => {
    const group = (all: readonly string[]) =>
      facets(all) && values.every((fits, nth) => fits(all[all.length - values.length + nth]))
    return index.find({ text, group, from, to }, offset, limit, isPartEnough)
  }

/** Finds the records of a range that are shown, and counts the others. */
const listed =
  <R>(list: ListedRecords<R>, facets: Filter['facets']) =>
  ({ from, to, offset, limit }: Range) => {
    const total = list.count(facets, from, to)
    const most = Math.min(limit, total - offset)
    const items = most > 0 ? firstOf(list.below(afterSome(list, facets, to, offset), facets), most) : []
    return { total, exact: true, items }
  }

/** The position below a number of records, of those below another position. */
function afterSome<R>(
  list: ListedRecords<R>,
  facets: Filter['facets'],
  top: Position,
  some: number,
): Position {
  const first = list.firstAt
  if (some === 0 || first === undefined) return top
  const isEnough = (position: Position) => list.count(facets, position, top) >= some
  const newest = Math.min(top.at, newestIn(list).at)
  const at = highest(first, newest, at => isEnough({ at, ordinal: 0 }))
  const ordinal = highest(0, MOST_ORDINAL, ordinal => isEnough({ at, ordinal }))
  return { at, ordinal }
}

/** No account has as many entries. */
const MOST_ORDINAL = 2 ** 40

/** The highest whole number of a range for which it holds, if it holds for all below it too. */
function highest(from: number, to: number, holds: (number: number) => boolean): number {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** The position just above the newest record. */
function newestIn<R>(list: ListedRecords<R>): Position {
  for (const newest of list.below(FROM_THE_TOP, () => true)) return justAbove(newest)
  return { at: 0, ordinal: 0 }
}

const isLower = (a: Position, b: Position) => comparePositions(a, b) < 0

export function windowIn(request: Request) {
  const anchor = one(request, 'anchor')
  return {
    anchor: anchor === undefined ? undefined : positionIn('anchor', anchor, 'the anchor of a list'),
    offset: wholeNumber(request, 'offset', 0, Number.MAX_SAFE_INTEGER),
    limit: wholeNumber(request, 'limit', 50, MOST_ROWS),
  }
}

function wholeNumber(request: Request, field: string, standard: number, most: number): number {
  const text = one(request, field)
  if (text === undefined) return standard
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!(number <= most)) throw refuseProblems([{ field, message: `must be a whole number, at most ${most}` }])
  return number
}

/** The last value of a parameter; undefined if it is empty. */
export function one(request: Request, name: string): string | undefined {
  const value = request.query[name]
  return (Array.isArray(value) ? value.at(-1) : value) || undefined
}

/** A test for several values, separated by commas. */
export function anyOf(request: Request, name: string): ValueTest {
  const text = one(request, name)
  if (text === undefined) return () => true
  const wanted = new Set(text.split(','))
  return value => value !== undefined && wanted.has(value)
}

/** A test for one value, which may have commas. */
export function exactly(request: Request, name: string): ValueTest {
  const wanted = one(request, name)
  return value => wanted === undefined || value === wanted
}

export const createdIn = (request: Request): Created => ({
  createdFrom: timeIn(request, 'created_after', Number.NEGATIVE_INFINITY),
  createdBefore: timeIn(request, 'created_before', Number.POSITIVE_INFINITY),
})

function timeIn(request: Request, field: string, standard: number): number {
  const text = one(request, field)
  if (text === undefined) return standard
  const at = parseTimestamp(text)
  if (at === undefined) throw refuseProblems([{ field, message: 'must be a date-time with an offset' }])
  return at
}

/** What is searched for in ids, references and names, and by what no facet has. */
export function searchIn(
  request: Request,
  names: readonly string[],
  testOf: (request: Request, name: string) => ValueTest,
): Filter['search'] {
  const text = one(request, 'q')?.trim() || undefined
  const isNothing = text === undefined && names.every(name => one(request, name) === undefined)
  return isNothing ? undefined : { text, values: names.map(name => testOf(request, name)) }
}
