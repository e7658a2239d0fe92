import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Contract } from '../decisions.ts'
import { PayoutInEvent, resources } from '../resources.ts'
import { count, named, nullable, object, oneOf, openObject, timestamp, type Wire } from '../schema.ts'
import { DELIVERY_STATES, DELIVERY_STATUSES, ENVIRONMENTS, WEBHOOK_CHECKS } from '../statuses.ts'
import { WEBHOOK_FAULT_TYPES } from './faults.ts'

/** Endpoints, events, and their deliveries. */

export const EndpointRecord = named(
  'EndpointRecord',
  object({
    id: Type.String(),
    url: Type.String(),
    events: nullable(
      Type.Array(Type.String(), { description: 'null for every event that is on by default' }),
    ),
    secret: Type.String({ description: 'the newest; an older one also signs until it expires' }),
    disabled: Type.Boolean(),
    created_at: timestamp,
  }),
)
export type EndpointRecord = Wire<typeof EndpointRecord>

/** Whether a webhook that somebody received is valid, and if not, why. */
export const WebhookVerdict = named(
  'WebhookVerdict',
  object({
    valid: Type.Boolean(),
    id: nullable(Type.String()),
    checks: Type.Array(
      object({
        check: oneOf(WEBHOOK_CHECKS),
        means: Type.String({ description: 'what it means that it passed' }),
        fault: nullable(Type.String({ description: 'why it did not pass' })),
      }),
    ),
  }),
)
export type WebhookVerdict = Wire<typeof WebhookVerdict>

/** An event, as in the body of its webhook. */
export function eventRecord(contract: Contract | 'any') {
  const record = Type.Union([
    named('PaymentIntent', resources(contract).PaymentIntent),
    named('PayoutInEvent', PayoutInEvent),
  ])
  const byHand = openObject({})
  return named(
    'EventRecord',
    object({
      id: Type.String({ pattern: '^evt_' }),
      type: Type.String(),
      timestamp,
      environment: oneOf(ENVIRONMENTS),
      data: Type.Unsafe<Static<typeof record>>({
        anyOf: [...record.anyOf, { ...byHand, description: 'of an event by hand, whatever it was given' }],
      }),
      by: Type.Optional(
        Type.Literal('hand', { description: 'somebody sent it by hand; its webhook does not have this' }),
      ),
    }),
  )
}
export type EventRecord = Wire<ReturnType<typeof eventRecord>>

const delivery = {
  id: Type.String(),
  event: Type.String(),
  event_type: nullable(Type.String()),
  endpoint: Type.String(),
  url: Type.String(),
  status: oneOf(DELIVERY_STATUSES),
  next_attempt_at: nullable(timestamp),
  created_at: timestamp,
}

export const DeliveryAttempt = named(
  'DeliveryAttempt',
  object({
    number: Type.Integer({ minimum: 1 }),
    started_at: timestamp,
    request: nullable(
      object({
        method: Type.Literal('POST'),
        url: Type.String(),
        headers: Type.Record(Type.String(), Type.String()),
        body: Type.String(),
      }),
    ),
    response: nullable(
      object({
        at: timestamp,
        status: nullable(Type.Integer()),
        error: nullable(Type.String()),
        retry_after_ms: nullable(count),
        headers: nullable(
          Type.Record(Type.String(), Type.String(), {
            description:
              'the first 2,048 characters, without secrets; null of older attempts and without an answer',
          }),
        ),
        body: Type.String(),
      }),
    ),
  }),
)
export type DeliveryAttempt = Wire<typeof DeliveryAttempt>

/** The payment or payout of the event. */
const about = {
  record: nullable(Type.String()),
  reference: nullable(Type.String({ description: "the merchant's" })),
}

export const DeliveryRecord = named(
  'DeliveryRecord',
  object({
    ...delivery,
    ...about,
    attempts: Type.Array(DeliveryAttempt),
  }),
)
export type DeliveryRecord = Wire<typeof DeliveryRecord>

/** One delivery, with the fault that affected it. */
export const DeliveryDetail = named(
  'DeliveryDetail',
  object({
    ...DeliveryRecord.properties,
    fault: nullable(oneOf(WEBHOOK_FAULT_TYPES)),
  }),
)
export type DeliveryDetail = Wire<typeof DeliveryDetail>

/** A delivery in a list for people. */
export const DeliveryRow = named(
  'DeliveryRow',
  object({
    ...delivery,
    status: oneOf(DELIVERY_STATES, 'failing: its last attempt failed, and another one follows'),
    ...about,
    attempts: count,
    last_status: nullable(Type.Integer()),
    last_error: nullable(Type.String()),
  }),
)
export type DeliveryRow = Wire<typeof DeliveryRow>
