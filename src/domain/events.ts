import type { Static, TObject } from '@sinclair/typebox'
import type { JOURNAL_VERSION } from '../contract/journal-version.ts'
import type { EVENT_SCHEMAS } from './event-schemas.ts'

export type { KeptRefusal } from './event-schemas.ts'

type Schemas = typeof EVENT_SCHEMAS
export type EventType = keyof Schemas

/** An event, in the past tense, with the members that its schema describes. */
export type EventOf<T extends EventType> = {
  [E in T]: { readonly type: E } & Readonly<Static<TObject<Schemas[E]>>>
}[T]

/** The journal contains nothing else. */
export type DomainEvent = EventOf<EventType>

/** One line of the journal: all events of one decision. */
export interface Entry {
  readonly v: typeof JOURNAL_VERSION
  readonly seq: number
  readonly at: number
  readonly by: string
  readonly events: readonly DomainEvent[]
}
