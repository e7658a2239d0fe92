import type { Position } from './list-index.ts'
import type { RepeatedParts } from './repeated-parts.ts'
import type { World } from './world.ts'

/** Where a stored record is in the list. Its id and its position are not part of its JSON. */
export interface StoredPosition extends Position {
  readonly id: string
}

/** What `read` needs in addition to the stored record. */
export interface ReadContext {
  readonly world: World
  readonly parts: RepeatedParts
}

/** How a kind of record is stored as JSON, and read again. */
export interface Form<T, S> {
  store(record: T, parts: RepeatedParts): S
  read(stored: S, position: StoredPosition, context: ReadContext): T
}

export type Lean<T> = { readonly [M in keyof T]?: T[M] }

/** `JSON.stringify` leaves out undefined members. */
export const json = <S>(members: { readonly [M in keyof S]-?: S[M] | undefined }) => members as S
