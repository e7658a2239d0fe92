import type { Contract } from '../../decisions.ts'
import { list } from '../../schema.ts'
import { EndpointBody, RotateBody } from '../requests.ts'
import { DeliveryDetail, DeliveryRecord, EndpointRecord, eventRecord } from '../webhooks.ts'
import type { ControlOperations } from './operation.ts'

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
      errors: ['invalid_state'],
    },
  } as const satisfies ControlOperations
}
