import * as Type from '@sinclair/typebox'
import { list, named, object, openObject } from '../../schema.ts'
import { Catalogue, CatalogueState, ProviderHealth } from '../catalogue.ts'
import { AdvanceResult, ClockState, TimerRecord } from '../clock.ts'
import { FaultsReplacement, FaultsState, HoldRecord, HoldRelease } from '../faults.ts'
import { KeyPairRecord, MerchantRecord, NewMerchant } from '../merchants.ts'
import { DecisionsInForce, Nodes } from '../nodes.ts'
import { listWindow, Overview } from '../overview.ts'
import { PaymentRow, PayoutRow } from '../payments.ts'
import {
  AdvanceBody,
  ClockBody,
  HealthBody,
  MerchantPatch,
  TokenBody,
  YamlText,
  YamlValues,
} from '../requests.ts'
import { RulesBody, RulesReplacement, RulesState, TriedRules } from '../rules.ts'
import { Timeline } from '../timeline.ts'
import { DeliveryRow } from '../webhooks.ts'
import { type ControlOperations, CREATED_QUERY, EXAMPLE_POSITION, LIST_QUERY } from './operation.ts'

/** The server as a whole. */
export const SERVER_OPERATIONS = {
  'GET /health': {
    id: 'health',
    summary: 'Whether the server listens',
    answers: { 200: object({ status: Type.Literal('ok'), version: Type.String() }) },
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
      q: Type.String({ description: 'Text that the id of a merchant must contain.', examples: ['shop'] }),
      offset: Type.Integer({ minimum: 0, description: 'How many merchants to skip.', examples: [0] }),
      limit: Type.Integer({ minimum: 0, maximum: 200, description: 'How many merchants.', examples: [50] }),
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
    query: { limit: LIST_QUERY.limit },
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
    body: { json: named('RulesReplacement', RulesReplacement) },
    answers: { 200: RulesState },
    errors: ['invalid_state'],
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
  'POST /accounts/:account/rules/try': {
    id: 'tryRules',
    summary: 'Count which of the last payments and payouts rules would have taken, and change nothing',
    body: { json: named('RulesBody', RulesBody) },
    answers: { 200: TriedRules },
  },
  'GET /accounts/:account/faults': {
    id: 'readFaults',
    summary: 'Read the faults that are set',
    answers: { 200: FaultsState },
  },
  'PUT /accounts/:account/faults': {
    id: 'replaceFaults',
    summary: 'Replace all faults',
    body: { json: named('FaultsBody', FaultsReplacement) },
    answers: { 200: FaultsState },
    errors: ['invalid_state'],
  },
  'DELETE /accounts/:account/faults': {
    id: 'clearFaults',
    summary: 'Remove all faults',
    answers: { 200: FaultsState },
  },
  'GET /accounts/:account/holds': {
    id: 'listHolds',
    summary: 'List the calls, answers and webhooks that a fault holds now',
    answers: { 200: list(HoldRecord) },
  },
  'POST /accounts/:account/holds/:id/release': {
    id: 'releaseHold',
    summary: 'Let go what a fault holds: as it is, changed, failed or dropped',
    body: { json: HoldRelease, optional: true },
    answers: { 200: HoldRecord },
  },
} as const satisfies ControlOperations

const several = (example: string) =>
  Type.String({ description: 'One or several, separated by commas.', examples: [example] })
const ROWS_QUERY = {
  anchor: Type.String({
    description: 'The anchor of the previous answer, so that the list does not shift.',
    examples: [EXAMPLE_POSITION],
  }),
  offset: Type.Integer({ minimum: 0, description: 'How many rows to skip.', examples: [0] }),
  limit: Type.Integer({
    minimum: 0,
    maximum: 200,
    description: 'How many rows; 50 by default.',
    examples: [50],
  }),
  q: Type.String({ description: 'Text that the record must contain.', examples: ['order-1001'] }),
  partial: Type.Literal('true', {
    description: 'Answer soon, from the newest records, while the first search of many reads all of them.',
    examples: ['true'],
  }),
}
const RECORD_QUERY = {
  ...ROWS_QUERY,
  ...CREATED_QUERY,
  currency: several('THB'),
  rule: Type.String({ description: 'The name of a rule.', examples: ['large transfers are declined'] }),
  failure_code: Type.String({
    description: 'The code that it failed with.',
    examples: ['insufficient_funds'],
  }),
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
      status: several('pending,processing'),
      checkout_mode: several('hosted'),
      method: several('th_bank_transfer,th_promptpay'),
      receipt: several('rejected'),
      route: Type.String({ description: 'The id of a route.', examples: ['banyan-th-qr'] }),
      cancelling: Type.Literal('true', {
        description: 'Only those whose cancellation was not answered yet.',
        examples: ['true'],
      }),
    },
    answers: { 200: listWindow(PaymentRow) },
  },
  'GET /accounts/:account/browse/payouts': {
    id: 'browsePayouts',
    summary: 'Read a part of the list of payouts, newest first',
    query: { ...RECORD_QUERY, status: several('requires_approval,processing'), country: several('TH') },
    answers: { 200: listWindow(PayoutRow) },
  },
  'GET /accounts/:account/browse/webhook-deliveries': {
    id: 'browseDeliveries',
    summary: 'Read a part of the list of webhook deliveries, newest first',
    query: {
      ...ROWS_QUERY,
      ...CREATED_QUERY,
      status: several('failing,failed'),
      event_type: several('payment.succeeded'),
      endpoint: Type.String({
        description: 'The id of an endpoint.',
        examples: ['we_5kQ2mT8xV1bN4cR7zL9wH3yJ'],
      }),
    },
    answers: { 200: listWindow(DeliveryRow) },
  },
  'POST /yaml/read': {
    id: 'readYaml',
    summary: 'Turn YAML into JSON',
    body: { json: YamlText },
    answers: { 200: object({ value: Type.Unknown() }) },
  },
  'POST /yaml/write': {
    id: 'writeYaml',
    summary: 'Turn JSON into YAML, a text for each value',
    body: { json: YamlValues },
    answers: { 200: object({ texts: Type.Array(Type.String()) }) },
  },
  'POST /dashboard/links': {
    id: 'createSignInLink',
    summary: 'Make an address that signs a browser in once',
    answers: { 201: object({ url: Type.String(), expires_in_ms: Type.Integer() }) },
  },
  'GET /dashboard/sign-in': {
    id: 'signInByLink',
    summary: 'Sign a browser in, and go to the dashboard',
    query: { code: Type.String({ description: 'The code of a link.' }) },
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
