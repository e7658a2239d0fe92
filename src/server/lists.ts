import type { ListWindow, Page } from '../contract/control/overview.ts'
import { parseTimestamp } from '../contract/timestamps.ts'
import { comparePositions, FROM_THE_TOP, type Position } from '../domain/list-index.ts'
import type { ListedRecords } from '../domain/table.ts'
import type { Account } from '../engine/account/account.ts'
import type { Request } from './http/request.ts'
import { refuseProblems } from './refusal.ts'

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

/** All records whose facets match, or `limit` of them after `cursor`. */
export function pageOf<R, Row>(
  request: Request,
  list: ListedRecords<R>,
  view: (record: R) => Row,
  matches: (facets: readonly string[]) => boolean = () => true,
): Page<Row> {
  const { cursor } = request.query as { cursor?: string }
  const limit = limitIn(request)
  const data: Row[] = []
  let last = cursor === undefined ? FROM_THE_TOP : positionIn('cursor', cursor, 'a next_cursor of this list')
  for (const item of list.below(last, matches)) {
    if (data.length >= limit) return { data, has_more: true, next_cursor: writePosition(last) }
    data.push(view(item.record))
    last = item
  }
  return { data, has_more: false, next_cursor: null }
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

/** The filters of a list. */
export interface Filter<R> {
  readonly facets: (facets: readonly string[]) => boolean
  /** The conditions without an index; undefined if there are none. */
  readonly record: ((record: R) => boolean) | undefined
  /** Inclusive. */
  readonly createdFrom: number
  /** Exclusive. */
  readonly createdBefore: number
}

const MOST_VISITED = 200_000
const MOST_ROWS = 200

/** The rows `offset` to `offset + limit` of a filtered list, for scrolling to any position. */
export function listWindow<R, Row>(
  request: Request,
  list: ListedRecords<R>,
  filter: Filter<R>,
  view: (record: R) => Row,
): ListWindow<Row> {
  const { anchor: given, offset, limit } = windowIn(request)
  const anchor = given ?? newestIn(list)
  const { facets, record: isWanted, createdFrom, createdBefore } = filter
  const newer = given ? countNewer(list, filter, given) : 0
  const lowest = { at: createdFrom, ordinal: 0 }
  const end = { at: createdBefore, ordinal: 0 }
  const top = isLower(anchor, end) ? anchor : end
  const known = isWanted ? undefined : list.count(facets, lowest, top)
  const data: Row[] = []
  let matched = 0
  let visited = 0
  const skipped = known === undefined ? top : afterSome(list, facets, top, Math.min(offset, known))
  if (known !== undefined) matched = Math.min(offset, known)
  for (const item of list.below(skipped, facets)) {
    if (item.at < createdFrom || ++visited > MOST_VISITED || (known !== undefined && data.length === limit))
      break
    if (isWanted && !isWanted(item.record)) continue
    if (matched++ >= offset && data.length < limit) data.push(view(item.record))
  }
  return {
    data,
    total: known ?? matched,
    exact: visited <= MOST_VISITED,
    newer,
    anchor: writePosition(anchor),
  }
}

/** The position below a number of records, of those below another position. */
function afterSome<R>(
  list: ListedRecords<R>,
  facets: Filter<R>['facets'],
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
  for (const { at, ordinal } of list.below(FROM_THE_TOP, () => true)) return { at, ordinal: ordinal + 1 }
  return { at: 0, ordinal: 0 }
}

const MOST_NEWER = 10_000

function countNewer<R>(
  list: ListedRecords<R>,
  { facets, record: isWanted, createdFrom, createdBefore }: Filter<R>,
  anchor: Position,
): number {
  let newer = 0
  let visited = 0
  for (const item of list.below({ at: createdBefore, ordinal: 0 }, facets)) {
    const isOld = isLower(item, anchor) || item.at < createdFrom
    if (isOld || ++visited > MOST_NEWER) break
    if (!isWanted || isWanted(item.record)) newer++
  }
  return newer
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

/** A test of one facet for several values, separated by commas. */
export function anyOf(request: Request, name: string): (facet: string | undefined) => boolean {
  const text = one(request, name)
  if (text === undefined) return () => true
  const wanted = new Set(text.split(','))
  return facet => facet !== undefined && wanted.has(facet)
}

export function timeIn(request: Request, field: string, standard: number): number {
  const text = one(request, field)
  if (text === undefined) return standard
  const at = parseTimestamp(text)
  if (at === undefined) throw refuseProblems([{ field, message: 'must be a date-time with an offset' }])
  return at
}

/** A case-insensitive search in ids, references and names. */
export function textIn(request: Request): ((...texts: (string | null | undefined)[]) => boolean) | undefined {
  const wanted = one(request, 'q')?.trim().toLowerCase()
  if (!wanted) return undefined
  return (...texts) => texts.some(text => text?.toLowerCase().includes(wanted))
}
