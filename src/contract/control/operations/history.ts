import * as Type from '@sinclair/typebox'
import { list, named, object } from '../../schema.ts'
import { Imported, LoggedRequest, RecordHistory, RequestDetail, STREAM_EVENTS } from '../journal.ts'
import { Archive } from '../requests.ts'
import { Why } from '../why.ts'
import type { ControlOperations } from './operation.ts'

/** What happened in an account, and its whole history: exported, imported and emptied. */
export const HISTORY_OPERATIONS = {
  'GET /accounts/:account/history/:id': {
    id: 'readHistory',
    summary: 'Read the journal entries that name a record, oldest first',
    answers: { 200: RecordHistory },
  },
  'GET /accounts/:account/why/:id': {
    id: 'explain',
    summary: 'Read why a payment, payout, delivery or request is as it is, and what comes next',
    answers: { 200: Why },
  },
  'GET /accounts/:account/requests': {
    id: 'listRequests',
    summary: 'List the last requests, newest first',
    answers: { 200: list(LoggedRequest) },
  },
  'GET /accounts/:account/requests/:id': {
    id: 'readRequest',
    summary: 'Read one of the last requests with its answer',
    answers: { 200: RequestDetail },
  },
  'GET /accounts/:account/stream': {
    id: 'follow',
    summary: 'Follow the account: server-sent events, whose data has one of these shapes',
    query: { as: '`changes` to get only what changed, not how.' },
    headers: { 'Last-Event-ID': 'The id of an entry: the stream begins with the entries after it.' },
    answers: { 200: { media: ['text/event-stream'], schema: Type.Union(Object.values(STREAM_EVENTS)) } },
  },
  'GET /accounts/:account/export': {
    id: 'exportAccount',
    summary: 'Export an account as one document',
    answers: { 200: named('Archive', object(Archive.properties)) },
    errors: ['invalid_state'],
  },
  'PUT /accounts/:account/import': {
    id: 'importAccount',
    summary: 'Replace all of an account by an export',
    body: { json: named('Archive', object(Archive.properties)) },
    answers: { 200: Imported },
  },
  'POST /accounts/:account/reset': {
    id: 'resetAccount',
    summary: 'Empty an account, which keeps its keys',
    answers: { 200: object({ account: Type.String() }) },
  },
} as const satisfies ControlOperations
