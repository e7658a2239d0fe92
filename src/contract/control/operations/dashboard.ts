import * as Type from '@sinclair/typebox'
import { object } from '../../schema.ts'
import { listWindow, Overview } from '../overview.ts'
import { PaymentRow } from '../payments.ts'
import { PayoutRow } from '../payouts.ts'
import { TokenBody } from '../requests.ts'
import { Timeline } from '../timeline.ts'
import { DeliveryRow } from '../webhooks.ts'
import type { ControlOperations } from './operation.ts'

const ROWS_QUERY = {
  anchor: 'The anchor of the previous answer, so that the list does not shift.',
  offset: 'How many rows to skip.',
  limit: 'How many rows, at most 200.',
  q: 'Text that the record must contain.',
}
const RECORD_QUERY = {
  ...ROWS_QUERY,
  status: 'One or several, separated by commas.',
  currency: 'One or several, separated by commas.',
  rule: 'The name of a rule.',
  created_after: 'Inclusive.',
  created_before: 'Exclusive.',
}

/** What the dashboard shows, and who may see it. */
export const DASHBOARD_OPERATIONS = {
  'GET /accounts/:account/timeline/:id': {
    id: 'readTimeline',
    summary: 'Read what happened to a payment or payout, and what is planned',
    answers: { 200: Timeline },
  },
  'GET /accounts/:account/overview': {
    id: 'readOverview',
    summary: 'Read totals, and counts over time',
    answers: { 200: Overview },
  },
  'GET /accounts/:account/browse/payments': {
    id: 'browsePayments',
    summary: 'Read a part of the list of payments, newest first',
    query: {
      ...RECORD_QUERY,
      checkout_mode: 'One or several, separated by commas.',
      method: 'One or several, separated by commas.',
    },
    answers: { 200: listWindow(PaymentRow) },
  },
  'GET /accounts/:account/browse/payouts': {
    id: 'browsePayouts',
    summary: 'Read a part of the list of payouts, newest first',
    query: { ...RECORD_QUERY, country: 'One or several, separated by commas.' },
    answers: { 200: listWindow(PayoutRow) },
  },
  'GET /accounts/:account/browse/webhook-deliveries': {
    id: 'browseDeliveries',
    summary: 'Read a part of the list of webhook deliveries, newest first',
    query: {
      ...ROWS_QUERY,
      status: 'One or several, separated by commas.',
      event_type: 'One or several, separated by commas.',
      endpoint: 'The id of an endpoint.',
    },
    answers: {
      200: object({ data: Type.Array(DeliveryRow), total: Type.Integer({ minimum: 0 }) }),
    },
  },
  'POST /dashboard/links': {
    id: 'createSignInLink',
    summary: 'Make an address that signs a browser in once',
    answers: { 201: object({ url: Type.String(), expires_in_ms: Type.Integer() }) },
  },
  'GET /dashboard/sign-in': {
    id: 'signInByLink',
    summary: 'Sign a browser in, and go to the dashboard',
    query: { code: 'The code of a link.' },
    answers: { 303: null },
    open: true,
  },
  'GET /dashboard/session': {
    id: 'readSession',
    summary: 'Whether this browser is signed in',
    answers: { 200: object({ signed_in: Type.Boolean() }) },
    open: true,
  },
  'POST /dashboard/session': {
    id: 'signIn',
    summary: 'Sign a browser in with the control token',
    body: { json: TokenBody },
    answers: { 204: null },
    errors: ['unauthorized'],
    open: true,
  },
  'DELETE /dashboard/session': {
    id: 'signOut',
    summary: 'Sign a browser out',
    answers: { 204: null },
    errors: ['unauthorized'],
    open: true,
  },
} as const satisfies ControlOperations
