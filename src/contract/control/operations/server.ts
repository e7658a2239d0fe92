import * as Type from '@sinclair/typebox'
import { object, openObject } from '../../schema.ts'
import { DecisionsInForce } from '../decisions.ts'
import { Nodes } from '../nodes.ts'
import type { ControlOperations } from './operation.ts'

/** The server as a whole. */
export const SERVER_OPERATIONS = {
  'GET /health': {
    id: 'health',
    summary: 'Whether the server listens',
    answers: { 200: object({ status: Type.Literal('ok') }) },
    open: true,
  },
  'GET /ready': {
    id: 'ready',
    summary: 'Whether all accounts are loaded',
    answers: {
      // `stopped` names the accounts that could not be opened.
      200: object({ status: Type.Literal('ready'), stopped: Type.Optional(Type.Array(Type.String())) }),
      503: object({ status: Type.Literal('loading') }),
    },
    open: true,
  },
  'GET /contract': {
    id: 'readContract',
    summary: 'Read the decisions in force',
    answers: { 200: DecisionsInForce },
  },
  'GET /openapi.json': {
    id: 'readMerchantApi',
    summary: 'Read the OpenAPI document of the merchant API',
    answers: { 200: openObject({ openapi: Type.String() }) },
  },
  'GET /control.json': {
    id: 'readControlApi',
    summary: 'Read this document',
    answers: { 200: openObject({ openapi: Type.String() }) },
  },
  'GET /metrics': {
    id: 'readMetrics',
    summary: 'Read the metrics, as Prometheus text',
    answers: { 200: { media: ['text/plain'] } },
  },
  'GET /nodes': {
    id: 'listNodes',
    summary: 'List the processes that serve the same database, and the merchants that each of them holds',
    query: {
      q: 'Text that the id of a merchant must contain.',
      offset: 'How many merchants to skip.',
      limit: 'How many merchants, at most 200.',
    },
    answers: { 200: Nodes },
    errors: ['service_unavailable'],
  },
} as const satisfies ControlOperations
