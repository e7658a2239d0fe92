import * as Type from '@sinclair/typebox'
import { ERROR_CODES } from '../errors.ts'
import { count, named, nullable, object, oneOf, openObject, timestamp, type Wire } from '../schema.ts'
import { HTTP_FAULT_TYPES } from './faults.ts'

/** What happened in an account: its journal, its requests, and both as one export. */

/**
 * The form of a journal's lines. If you change what a line means, raise this number, and convert lines of the form
 * before in `engine/journal/journal-format.ts`.
 */
export const JOURNAL_VERSION = 1

/** One line of the journal: everything that one decision changed. Its events are those of the journal. */
export const JournalEntry = named(
  'JournalEntry',
  object({
    v: Type.Literal(JOURNAL_VERSION),
    seq: Type.Integer({ minimum: 1 }),
    at: timestamp,
    by: Type.String(),
    events: Type.Array(openObject({ type: Type.String() })),
  }),
)
export type JournalEntry = Wire<typeof JournalEntry>

/** The journal entries that name a record. */
export const RecordHistory = named(
  'RecordHistory',
  object({
    data: Type.Array(JournalEntry),
    kept_from: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'number of the oldest entry that is kept, if it is not the first',
      }),
    ),
  }),
)
export type RecordHistory = Wire<typeof RecordHistory>

/** A request in the stream, without secrets. */
export const RequestRecord = named(
  'RequestRecord',
  object({
    at: timestamp,
    account: nullable(Type.String()),
    method: Type.String(),
    path: Type.String(),
    status: Type.Integer(),
    ms: Type.Number({ minimum: 0 }),
    request_id: Type.String(),
    ignored: Type.Array(Type.String(), {
      description: 'members of the body, and names in the query, that nothing reads',
    }),
  }),
)
export type RequestRecord = Wire<typeof RequestRecord>

/** A request in the list of its account, with the wall time. */
export const LoggedRequest = named(
  'LoggedRequest',
  object({
    ...RequestRecord.properties,
    wall_at: timestamp,
    reference: nullable(
      Type.String({
        description: 'the merchant_reference of the record in its path, or of the one that it asked for',
      }),
    ),
    error: nullable(object({ code: oneOf(ERROR_CODES), message: Type.String() })),
    fault: nullable(
      object({ type: oneOf(HTTP_FAULT_TYPES), name: nullable(Type.String()), carried_out: Type.Boolean() }),
    ),
  }),
)
export type LoggedRequest = Wire<typeof LoggedRequest>

const message = {
  headers: Type.Record(Type.String(), Type.String()),
  body: nullable(Type.String({ description: 'null if there was none, or if it was not text' })),
  size: count,
  truncated: Type.Boolean(),
}
export const HttpMessage = named('HttpMessage', object(message))
export type HttpMessage = Wire<typeof HttpMessage>

/** A request with headers and bodies, if they are still stored, without secrets. */
export const RequestDetail = named(
  'RequestDetail',
  object({
    ...LoggedRequest.properties,
    request: nullable(HttpMessage),
    response: nullable(
      object({ ...message, whole: Type.Boolean({ description: 'false if a fault cut the response off' }) }),
    ),
  }),
)
export type RequestDetail = Wire<typeof RequestDetail>

/** What came of a request that was sent by hand. */
export const SentRequest = named(
  'SentRequest',
  object({
    request_id: nullable(
      Type.String({ description: 'by which the log has it; null if the connection ended without an answer' }),
    ),
    status: nullable(Type.Integer()),
    body: nullable(Type.String({ description: 'the answer as it came, and no more of it than 1 MiB' })),
  }),
)
export type SentRequest = Wire<typeof SentRequest>

const Hello = named(
  'StreamHello',
  object({
    account: Type.String(),
    seq: count,
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'with `Last-Event-ID`: the entries after this one follow. It is another number if older entries are gone',
      }),
    ),
  }),
)
/** The last event of a stream whose reader fell behind. */
const Overflow = named(
  'StreamOverflow',
  object({
    account: Type.String(),
    seq: Type.Integer({ minimum: 0, description: 'the last entry before the end' }),
    message: Type.String(),
  }),
)
/** With `?as=changes`: what changed, but not how. At most ten a second. */
export const StreamChange = named(
  'StreamChange',
  object({
    seq: count,
    requests: count,
    about: Type.Array(Type.String()),
    records: nullable(
      Type.Array(Type.String(), { description: 'payments and payouts; null if there are too many to name' }),
    ),
  }),
)
export type StreamChange = Wire<typeof StreamChange>

/** The data of each kind of server-sent event. */
export const STREAM_EVENTS = {
  hello: Hello,
  entry: JournalEntry,
  request: RequestRecord,
  change: StreamChange,
  overflow: Overflow,
}
export type StreamEvent = keyof typeof STREAM_EVENTS
export type StreamData<E extends StreamEvent> = Wire<(typeof STREAM_EVENTS)[E]>
export type StreamMessage = {
  [E in Exclude<StreamEvent, 'change'>]: { readonly event: E; readonly data: StreamData<E> }
}[Exclude<StreamEvent, 'change'>]

export const Imported = named('Imported', object({ account: Type.String(), entries: count }))
export type Imported = Wire<typeof Imported>
