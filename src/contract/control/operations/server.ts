import * as Type from '@sinclair/typebox'
import { list, named, object, openObject } from '../../schema.ts'
import { Catalogue, CatalogueState, ProviderHealth } from '../catalogue.ts'
import { AdvanceResult, ClockState, TimerRecord } from '../clock.ts'
import { DecisionsInForce } from '../decisions.ts'
import { FaultsBody, FaultsState } from '../faults.ts'
import { KeyPairRecord, MerchantRecord, NewMerchant } from '../merchants.ts'
import { Nodes } from '../nodes.ts'
import { listWindow, Overview } from '../overview.ts'
import { PaymentRow } from '../payments.ts'
import { PayoutRow } from '../payouts.ts'
import { AdvanceBody, ClockBody, HealthBody, MerchantPatch, TokenBody } from '../requests.ts'
import { RulesBody, RulesState } from '../rules.ts'
import { Timeline } from '../timeline.ts'
import { DeliveryRow } from '../webhooks.ts'
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

/** Merchants, and the keys of their accounts. */
export const MERCHANT_OPERATIONS = {
  'POST /merchants': {
    id: 'createMerchant',
    summary: 'Create a merchant, with an account in each environment',
    body: { json: NewMerchant, optional: true },
    answers: { 201: MerchantRecord },
    errors: ['invalid_state'],
  },
  'GET /merchants': {
    id: 'listMerchants',
    summary: 'List all merchants',
    answers: { 200: list(MerchantRecord) },
  },
  'GET /merchants/:id': {
    id: 'readMerchant',
    summary: 'Read a merchant',
    answers: { 200: MerchantRecord },
  },
  'PATCH /merchants/:id': {
    id: 'changeMerchant',
    summary: 'Change the name or the Team policy of a merchant',
    body: { json: MerchantPatch },
    answers: { 200: MerchantRecord },
  },
  'DELETE /merchants/:id': {
    id: 'removeMerchant',
    summary: 'Remove a merchant with its accounts and records',
    answers: { 204: null },
  },
  'GET /accounts/:account/keys': {
    id: 'listKeys',
    summary: 'List the key pairs of an account',
    answers: { 200: list(KeyPairRecord) },
  },
  'POST /accounts/:account/keys': {
    id: 'addKeys',
    summary: 'Add a key pair',
    answers: { 201: KeyPairRecord },
  },
  'DELETE /accounts/:account/keys/:key': {
    id: 'revokeKeys',
    summary: 'Revoke a key pair, by its public key',
    answers: { 204: null },
  },
} as const satisfies ControlOperations

/** The settings of an account: its clock, its catalogue, its rules and its faults. */
export const SETTING_OPERATIONS = {
  'GET /accounts/:account/clock': {
    id: 'readClock',
    summary: 'Read the clock of an account',
    answers: { 200: ClockState },
  },
  'PUT /accounts/:account/clock': {
    id: 'setClock',
    summary: 'Set the clock of an account',
    body: { json: ClockBody },
    answers: { 200: ClockState },
  },
  'POST /accounts/:account/clock/advance': {
    id: 'advanceClock',
    summary: 'Move a virtual clock, and wait until the account is quiet',
    body: { json: AdvanceBody },
    answers: { 200: AdvanceResult },
    errors: ['invalid_state'],
  },
  'GET /accounts/:account/timers': {
    id: 'listTimers',
    summary: 'List the pending timers, the next one first',
    answers: { 200: list(TimerRecord) },
  },
  'GET /accounts/:account/catalogue': {
    id: 'readCatalogue',
    summary: 'Read the catalogue, with the health of each provider',
    answers: { 200: CatalogueState },
  },
  'PUT /accounts/:account/catalogue': {
    id: 'setCatalogue',
    summary: 'Set the catalogue of an account',
    body: { json: named('Catalogue', Catalogue) },
    answers: { 200: CatalogueState },
  },
  'PATCH /accounts/:account/catalogue/providers/:provider': {
    id: 'setProviderHealth',
    summary: 'Set whether a provider is healthy',
    body: { json: HealthBody },
    answers: { 200: ProviderHealth },
  },
  'GET /accounts/:account/rules': {
    id: 'readRules',
    summary: 'Read the provider rules in force',
    answers: { 200: RulesState },
  },
  'PUT /accounts/:account/rules': {
    id: 'replaceRules',
    summary: 'Replace all provider rules',
    body: { json: named('RulesBody', RulesBody) },
    answers: { 200: RulesState },
  },
  'POST /accounts/:account/rules': {
    id: 'addRules',
    summary: 'Add rules in front of those in force',
    body: { json: named('RulesBody', RulesBody) },
    answers: { 200: RulesState },
  },
  'DELETE /accounts/:account/rules': {
    id: 'resetRules',
    summary: 'Restore the standard rules',
    answers: { 200: RulesState },
  },
  'GET /accounts/:account/faults': {
    id: 'readFaults',
    summary: 'Read the faults that are set',
    answers: { 200: FaultsState },
  },
  'PUT /accounts/:account/faults': {
    id: 'replaceFaults',
    summary: 'Replace all faults',
    body: { json: named('FaultsBody', FaultsBody) },
    answers: { 200: FaultsState },
  },
  'DELETE /accounts/:account/faults': {
    id: 'clearFaults',
    summary: 'Remove all faults',
    answers: { 200: FaultsState },
  },
} as const satisfies ControlOperations

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
