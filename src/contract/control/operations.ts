import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Contract } from '../decisions.ts'
import type { ErrorCode } from '../errors.ts'
import { list, named, object, oneOf, openObject, type Wire } from '../schema.ts'
import { PAYMENT_TRIGGERS, PAYOUT_TRIGGERS } from '../statuses.ts'
import { Catalogue, CatalogueState, ProviderHealth } from './catalogue.ts'
import { AdvanceResult, ClockState, TimerRecord } from './clock.ts'
import { FaultsBody, FaultsState } from './faults.ts'
import { Imported, LoggedRequest, RecordHistory, RequestDetail, STREAM_EVENTS } from './journal.ts'
import { KeyPairRecord, MerchantRecord, NewMerchant } from './merchants.ts'
import { Nodes } from './nodes.ts'
import { listWindow, Overview, page } from './overview.ts'
import { AssetRecord, PaymentRow, ProviderCallRecord, paymentRecord } from './payments.ts'
import { PayoutRecord, PayoutRow } from './payouts.ts'
import {
  AdvanceBody,
  Archive,
  ClockBody,
  EndpointBody,
  FailureReason,
  HealthBody,
  MerchantPatch,
  NewPayout,
  PayoutCancelBody,
  RotateBody,
  TokenBody,
} from './requests.ts'
import { RulesBody, RulesState } from './rules.ts'
import { Timeline } from './timeline.ts'
import { DeliveryDetail, DeliveryRecord, DeliveryRow, EndpointRecord, eventRecord } from './webhooks.ts'

/**
 * All operations of the control surface. The compiler checks that the server's answers have these shapes, and the
 * OpenAPI document lists them.
 */
export interface ControlOperation {
  /** The operationId. */
  readonly id: string
  readonly summary: string
  /** The query parameters, with their descriptions. */
  readonly query?: Readonly<Record<string, string>>
  readonly body?: RequestBody
  readonly answers: Readonly<Record<number, Answer>>
  /** Besides those that every call of its kind can have. */
  readonly errors?: readonly ErrorCode[]
  /** Whether it needs no control token. */
  readonly open?: true
}

type RequestBody =
  | { readonly json: TSchema; readonly optional?: true }
  | { readonly form: Readonly<Record<string, string>>; readonly required: readonly string[] }
/** What is sent with a status: JSON, something else, or nothing. */
type Answer = TSchema | OtherMedia | null
interface OtherMedia {
  readonly media: readonly string[]
  readonly schema?: TSchema
}

const LIST_QUERY = {
  limit: 'How many; all of them by default.',
  cursor: 'The next_cursor of the previous page.',
}
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

/** One operation for each trigger, which is the last part of its path. */
function moves<P extends string, T extends string, O extends Omit<ControlOperation, 'id' | 'summary'>>(
  path: P,
  triggers: readonly T[],
  record: string,
  operation: O,
) {
  const entries = triggers.map(trigger => {
    const [first = '', ...rest] = trigger.split('-')
    const id = [first, ...rest.map(capital)].join('') + capital(record)
    return [
      `${path}/${trigger}`,
      { ...operation, id, summary: `Trigger a change of a ${record}: ${trigger}` },
    ]
  })
  return Object.fromEntries(entries) as { readonly [K in `${P}/${T}`]: O & { id: string; summary: string } }
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** By method and path, as the server registers its handlers. */
export function controlOperations(contract: Contract | 'any') {
  const PaymentRecord = paymentRecord(contract)
  const invalidState = ['invalid_state'] as const
  return {
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
      answers: {
        200: Type.Record(
          Type.String(),
          object({ value: Type.String(), kind: oneOf(['switch', 'constant']) }),
        ),
      },
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

    'POST /merchants': {
      id: 'createMerchant',
      summary: 'Create a merchant, with an account in each environment',
      body: { json: NewMerchant, optional: true },
      answers: { 201: MerchantRecord },
      errors: invalidState,
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
      errors: invalidState,
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

    'GET /accounts/:account/payments': {
      id: 'listPayments',
      summary: 'List payments, newest first',
      query: LIST_QUERY,
      answers: { 200: page(PaymentRecord) },
    },
    'GET /accounts/:account/payments/:id': {
      id: 'readPayment',
      summary: 'Read a payment with what the merchant API does not show',
      answers: { 200: PaymentRecord },
    },
    ...moves('POST /accounts/:account/payments/:id', PAYMENT_TRIGGERS, 'payment', {
      body: { json: FailureReason, optional: true },
      answers: { 200: PaymentRecord },
      errors: invalidState,
    }),
    'GET /accounts/:account/provider-calls': {
      id: 'listProviderCalls',
      summary: 'List what the gateway asked of the simulated provider',
      answers: { 200: list(ProviderCallRecord) },
    },
    'POST /accounts/:account/assets': {
      id: 'uploadAsset',
      summary: 'Upload an image',
      body: { form: { file: 'A JPEG or PNG image', kind: 'payment_receipt or other' }, required: ['file'] },
      answers: { 201: AssetRecord },
    },
    'GET /accounts/:account/assets': {
      id: 'listAssets',
      summary: 'List the uploaded images',
      answers: { 200: list(AssetRecord) },
    },
    'GET /accounts/:account/images/:digest': {
      id: 'readImage',
      summary: 'Read an image, by the SHA-256 of its bytes',
      answers: { 200: { media: ['image/jpeg', 'image/png'] } },
    },

    'GET /accounts/:account/payouts': {
      id: 'listPayouts',
      summary: 'List payouts, newest first',
      query: LIST_QUERY,
      answers: { 200: page(PayoutRecord) },
    },
    'POST /accounts/:account/payouts': {
      id: 'createPayout',
      summary: 'Create a payout',
      body: { json: NewPayout },
      answers: { 201: PayoutRecord },
    },
    'GET /accounts/:account/payouts/:id': {
      id: 'readPayout',
      summary: 'Read a payout with what the merchant API does not show',
      answers: { 200: PayoutRecord },
    },
    ...moves('POST /accounts/:account/payouts/:id', without(PAYOUT_TRIGGERS, 'cancel'), 'payout', {
      body: { json: FailureReason, optional: true },
      answers: { 200: PayoutRecord },
      errors: invalidState,
    }),
    'POST /accounts/:account/payouts/:id/cancel': {
      id: 'cancelPayout',
      summary: 'Cancel a payout that awaits approval',
      body: { json: PayoutCancelBody, optional: true },
      answers: { 200: PayoutRecord },
      errors: invalidState,
    },

    'GET /accounts/:account/webhook-endpoints': {
      id: 'listEndpoints',
      summary: 'List the webhook endpoints',
      answers: { 200: list(EndpointRecord) },
    },
    'POST /accounts/:account/webhook-endpoints': {
      id: 'addEndpoint',
      summary: 'Add a webhook endpoint',
      body: { json: EndpointBody },
      answers: { 201: EndpointRecord },
    },
    'DELETE /accounts/:account/webhook-endpoints/:id': {
      id: 'removeEndpoint',
      summary: 'Remove a webhook endpoint',
      answers: { 204: null },
    },
    'POST /accounts/:account/webhook-endpoints/:id/rotate-secret': {
      id: 'rotateSecret',
      summary: 'Give an endpoint a new secret',
      body: { json: RotateBody, optional: true },
      answers: { 200: EndpointRecord },
    },
    'GET /accounts/:account/events': {
      id: 'listEvents',
      summary: 'List the events, oldest first',
      answers: { 200: list(eventRecord(contract)) },
    },
    'GET /accounts/:account/webhook-deliveries': {
      id: 'listDeliveries',
      summary: 'List the webhook deliveries with every attempt, oldest first',
      answers: { 200: list(DeliveryRecord) },
    },
    'GET /accounts/:account/webhook-deliveries/:id': {
      id: 'readDelivery',
      summary: 'Read a webhook delivery',
      answers: { 200: DeliveryDetail },
    },
    'POST /accounts/:account/webhook-deliveries/:id/redeliver': {
      id: 'redeliver',
      summary: 'Make one more attempt now',
      answers: { 202: DeliveryRecord },
      errors: invalidState,
    },

    'GET /accounts/:account/history/:id': {
      id: 'readHistory',
      summary: 'Read the journal entries that name a record, oldest first',
      answers: { 200: RecordHistory },
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
      answers: { 200: { media: ['text/event-stream'], schema: Type.Union(Object.values(STREAM_EVENTS)) } },
    },
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

    'GET /accounts/:account/export': {
      id: 'exportAccount',
      summary: 'Export an account as one document',
      answers: { 200: named('Archive', object(Archive.properties)) },
      errors: invalidState,
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
  } as const satisfies Readonly<Record<string, ControlOperation>>
}

function without<T extends string, N extends T>(words: readonly T[], name: N): Exclude<T, N>[] {
  return words.filter((word): word is Exclude<T, N> => word !== name)
}

/** The operations with their answers, for the server's types. */
type ControlOperations = ReturnType<typeof controlOperations>
export type ControlCall = keyof ControlOperations
/** The possible answers to a call: a status and its body. */
export type ControlAnswer<C extends ControlCall> = AnswerIn<ControlOperations[C]['answers']>
type AnswerIn<Answers> = {
  [Status in keyof Answers]: Answers[Status] extends TSchema
    ? [status: Status, body: Wire<Answers[Status]>]
    : [status: Status]
}[keyof Answers]
