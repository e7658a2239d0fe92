import * as Type from '@sinclair/typebox'
import type { Contract } from '../../decisions.ts'
import { list, named, object } from '../../schema.ts'
import { PAYMENT_TRIGGERS, PAYOUT_TRIGGERS } from '../../statuses.ts'
import {
  Imported,
  LoggedRequest,
  RecordHistory,
  RequestDetail,
  SentRequest,
  STREAM_EVENTS,
} from '../journal.ts'
import { page } from '../overview.ts'
import { AssetRecord, PageOfShop, PayoutRecord, ProviderCallRecord, paymentRecord } from '../payments.ts'
import {
  Archive,
  EndpointBody,
  EventBody,
  FailureReason,
  MethodChoice,
  NewPayout,
  PayoutCancelBody,
  ReceivedWebhook,
  RequestToSend,
  ResetBody,
  RotateBody,
} from '../requests.ts'
import { Why } from '../timeline.ts'
import { DeliveryDetail, DeliveryRecord, EndpointRecord, eventRecord, WebhookVerdict } from '../webhooks.ts'
import { type ControlOperations, CREATED_QUERY, LIST_QUERY, moves } from './operation.ts'

/** What a history can be written as. */
export const STORY_FORMATS = ['yaml', 'vitest', 'pytest'] as const
export type StoryFormat = (typeof STORY_FORMATS)[number]

const ofStatus = (example: string) =>
  Type.String({
    description: 'Only those with this status, or with one of several, separated by commas.',
    examples: [example],
  })

/** Payments, with the images and the calls that belong to them. */
export function paymentOperations(contract: Contract | 'any') {
  const PaymentRecord = paymentRecord(contract)
  return {
    'GET /accounts/:account/payments': {
      id: 'listPayments',
      summary: 'List payments, newest first',
      query: { ...LIST_QUERY, status: ofStatus('pending') },
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
      errors: ['invalid_state'],
    }),
    'POST /accounts/:account/payments/:id/choose': {
      id: 'chooseMethod',
      summary: 'Choose a method as the payer does on the hosted page',
      body: { json: MethodChoice },
      answers: { 200: PaymentRecord },
      errors: [
        'invalid_state',
        'payment_configuration_unavailable',
        'routing_unavailable',
        'provider_capability_unsupported',
      ],
    },
    'POST /accounts/:account/payments/:id/receipt': {
      id: 'sendReceipt',
      summary: 'Send a receipt as the payer does on the hosted page',
      body: { form: {} },
      answers: { 200: PaymentRecord },
      errors: ['invalid_state', 'provider_capability_unsupported'],
    },
    'POST /accounts/:account/payments/:id/return': {
      id: 'returnToShop',
      summary: "Open the return_url once, as the payer's browser does",
      answers: { 200: PageOfShop },
      errors: ['invalid_state'],
    },
    'GET /accounts/:account/provider-calls': {
      id: 'listProviderCalls',
      summary: 'List what the gateway asked of the simulated provider',
      answers: { 200: list(ProviderCallRecord) },
    },
    'POST /accounts/:account/assets': {
      id: 'uploadAsset',
      summary: 'Upload an image',
      body: { form: { kind: Type.Optional(AssetRecord.properties.kind) } },
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
  } as const satisfies ControlOperations
}

/** Payouts. */
export const PAYOUT_OPERATIONS = {
  'GET /accounts/:account/payouts': {
    id: 'listPayouts',
    summary: 'List payouts, newest first',
    query: { ...LIST_QUERY, status: ofStatus('requires_approval') },
    answers: { 200: page(PayoutRecord) },
  },
  'POST /accounts/:account/payouts': {
    id: 'createPayout',
    summary: 'Create a payout',
    headers: {
      'Idempotency-Key': Type.String({
        description:
          'Within 24 hours, the same key with the same body gets the same answer again, and creates nothing.',
        examples: ['payouts-of-november-1'],
      }),
    },
    body: { json: NewPayout },
    answers: { 201: PayoutRecord },
    errors: ['idempotency_conflict', 'idempotency_in_progress'],
  },
  'GET /accounts/:account/payouts/:id': {
    id: 'readPayout',
    summary: 'Read a payout with what the merchant API does not show',
    answers: { 200: PayoutRecord },
  },
  ...moves('POST /accounts/:account/payouts/:id', without(PAYOUT_TRIGGERS, 'cancel'), 'payout', {
    body: { json: FailureReason, optional: true },
    answers: { 200: PayoutRecord },
    errors: ['invalid_state'],
  }),
  'POST /accounts/:account/payouts/:id/cancel': {
    id: 'cancelPayout',
    summary: 'Cancel a payout that awaits approval',
    body: { json: PayoutCancelBody, optional: true },
    answers: { 200: PayoutRecord },
    errors: ['invalid_state'],
  },
} as const satisfies ControlOperations

function without<T extends string, N extends T>(words: readonly T[], name: N): Exclude<T, N>[] {
  return words.filter((word): word is Exclude<T, N> => word !== name)
}

/** Webhooks: endpoints, events and deliveries. */
export function webhookOperations(contract: Contract | 'any') {
  return {
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
    'POST /accounts/:account/webhook-endpoints/:id/verify': {
      id: 'verifyWebhook',
      summary:
        'Check a webhook that was received against the secrets of an endpoint, and say what is wrong with it',
      body: { json: ReceivedWebhook },
      answers: { 200: WebhookVerdict },
    },
    'GET /accounts/:account/events': {
      id: 'listEvents',
      summary: 'List the events, oldest first',
      answers: { 200: list(eventRecord(contract)) },
    },
    'POST /accounts/:account/events': {
      id: 'sendEvent',
      summary: 'Send an event by hand: a sample of a type, or a copy of another event',
      body: { json: EventBody },
      answers: { 202: eventRecord(contract) },
    },
    'GET /accounts/:account/webhook-deliveries': {
      id: 'listDeliveries',
      summary: 'List the webhook deliveries with every attempt, oldest first',
      query: {
        ...CREATED_QUERY,
        status: ofStatus('failing'),
        payment: Type.String({
          description: 'Only those about this payment or payout.',
          examples: ['pi_123'],
        }),
        reference: Type.String({
          description: 'Only those about a payment or payout with this reference.',
          examples: ['order-1001'],
        }),
        endpoint: Type.String({ description: 'Only those to this endpoint.', examples: ['we_123'] }),
      },
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
      errors: ['invalid_state'],
    },
  } as const satisfies ControlOperations
}

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
  'GET /accounts/:account/scenario': {
    id: 'writeScenario',
    summary:
      'Write what was done with payments and payouts as a scenario or as a test, which passes as it is',
    query: {
      id: Type.String({
        description: 'A payment or a payout; several are separated by commas.',
        examples: ['pi_123'],
      }),
      format: Type.Unsafe<StoryFormat>({
        type: 'string',
        enum: [...STORY_FORMATS],
        description: 'A scenario for `paysim run` by default.',
        examples: [STORY_FORMATS[0]],
      }),
    },
    answers: { 200: { media: ['text/plain'], schema: Type.String() } },
    errors: ['invalid_state'],
  },
  'GET /accounts/:account/requests': {
    id: 'listRequests',
    summary: 'List the last requests, newest first',
    query: {
      q: Type.String({
        description: 'Text that the path, the id, or a body that is still kept must contain.',
        examples: ['order-1001'],
      }),
    },
    answers: { 200: list(LoggedRequest) },
  },
  'POST /accounts/:account/requests': {
    id: 'sendRequest',
    summary:
      'Send a request to the merchant API with the keys of the account: one of the log, changed, or a new one',
    body: { json: RequestToSend },
    answers: { 200: SentRequest },
    errors: ['invalid_state'],
  },
  'GET /accounts/:account/requests/:id': {
    id: 'readRequest',
    summary: 'Read one of the last requests with its answer',
    answers: { 200: RequestDetail },
  },
  'GET /accounts/:account/stream': {
    id: 'follow',
    summary: 'Follow the account: server-sent events, whose data has one of these shapes',
    query: {
      as: Type.Literal('changes', { description: 'Only what changed, not how.', examples: ['changes'] }),
    },
    headers: {
      'Last-Event-ID': Type.String({
        description: 'The id of an entry: the stream begins with the entries after it.',
        examples: ['1'],
      }),
    },
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
    summary: 'Empty an account, which keeps its keys, and the settings that are named',
    body: { json: ResetBody, optional: true },
    answers: { 200: object({ account: Type.String() }) },
  },
} as const satisfies ControlOperations
