import { keep, kept } from './router.ts'

/** Where somebody was in a list: kept with the entry of the history, so that coming back leads there. */
export interface ListPlace {
  /** Path and query: another list begins at its top. */
  readonly of: string
  readonly anchor: string | undefined
  /** How far it was scrolled, in rows. */
  readonly rows: number
  /** The row that had the focus, and the address that it leads to. */
  readonly at: number | null
  readonly href: string | null
}

const NAME = 'list'

export function keptPlace(of: string): ListPlace | undefined {
  const place = kept(NAME) as ListPlace | undefined
  return place?.of === of ? place : undefined
}

export const keepPlace = (place: ListPlace): void => keep(NAME, place)
