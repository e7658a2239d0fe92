import { keep, kept } from './router.ts'

/** The position in a list, stored in the browser's history so that Back returns to it. */
export interface ListPlace {
  /** Call, account and query: another list starts at its top. */
  readonly of: string
  readonly anchor: string | undefined
  /** The scroll position, in rows. */
  readonly rows: number
  /** The focused row, and the URL that it links to. */
  readonly at: number | null
  readonly href: string | null
}

const NAME = 'list'

export function keptPlace(of: string): ListPlace | undefined {
  const place = kept(NAME) as ListPlace | undefined
  return place?.of === of ? place : undefined
}

export const keepPlace = (place: ListPlace): void => keep(NAME, place)
