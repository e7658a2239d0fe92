import type { ListWindow } from '../../contract/control/overview.ts'
import { parseTimestamp } from '../../contract/timestamps.ts'
import { FROM_THE_TOP, type ListIndex, type PagePosition } from '../../domain/list-index.ts'
import type { Request } from '../http/request.ts'
import { refuseProblems } from '../refusal.ts'

type Facets = readonly string[]

/** The filters of a list. */
export interface Filter {
  readonly shelf: (facets: Facets) => boolean
  /** The conditions without an index; undefined if there are none. */
  readonly record: ((id: string) => boolean) | undefined
  /** Inclusive. */
  readonly createdFrom: number
  /** Exclusive. */
  readonly createdBefore: number
}

const MOST_VISITED = 200_000
const MOST_ROWS = 200

/** The rows `offset` to `offset + limit` of a filtered list, for scrolling to any position. */
export function listWindow<Row>(
  request: Request,
  list: Pick<ListIndex, 'below' | 'count'>,
  filter: Filter,
  view: (id: string) => Row,
): ListWindow<Row> {
  const { anchor: given, offset, limit } = windowIn(request)
  const anchor = given ?? newestIn(list)
  const { shelf, record, createdFrom, createdBefore } = filter
  const bounded = createdFrom > 0 || createdBefore < Number.POSITIVE_INFINITY
  const newer = given ? countNewer(list, filter, given) : 0
  const known = record || bounded ? undefined : list.count(shelf) - newer
  const data: Row[] = []
  let matched = 0
  let visited = 0
  for (const { id, createdAt } of list.below(
    lower(anchor, { createdAt: createdBefore, ordinal: 0 }),
    shelf,
  )) {
    if (createdAt < createdFrom || ++visited > MOST_VISITED || (known !== undefined && data.length === limit))
      break
    if (record && !record(id)) continue
    if (matched++ >= offset && data.length < limit) data.push(view(id))
  }
  return {
    data,
    total: known ?? matched,
    exact: visited <= MOST_VISITED,
    newer,
    anchor: `${anchor.createdAt}.${anchor.ordinal}`,
  }
}

/** The position just above the newest record. */
function newestIn(list: Pick<ListIndex, 'below'>): PagePosition {
  for (const { createdAt, ordinal } of list.below(FROM_THE_TOP, () => true))
    return { createdAt, ordinal: ordinal + 1 }
  return { createdAt: 0, ordinal: 0 }
}

const MOST_NEWER = 10_000

function countNewer(
  list: Pick<ListIndex, 'below'>,
  { shelf, record, createdFrom, createdBefore }: Filter,
  anchor: PagePosition,
): number {
  let newer = 0
  let visited = 0
  for (const place of list.below({ createdAt: createdBefore, ordinal: 0 }, shelf)) {
    const isOld = isLower(place, anchor) || place.createdAt < createdFrom
    if (isOld || ++visited > MOST_NEWER) break
    if (!record || record(place.id)) newer++
  }
  return newer
}

const isLower = (a: PagePosition, b: PagePosition) =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.ordinal < b.ordinal)
const lower = (a: PagePosition, b: PagePosition) => (isLower(a, b) ? a : b)

export function windowIn(request: Request) {
  const anchor = one(request, 'anchor')
  const position = /^(\d{1,16})\.(\d{1,16})$/.exec(anchor ?? '')
  if (anchor !== undefined && !position)
    throw refuseProblems([{ field: 'anchor', message: 'is not the anchor of a list' }])
  return {
    anchor: position ? { createdAt: Number(position[1]), ordinal: Number(position[2]) } : undefined,
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
