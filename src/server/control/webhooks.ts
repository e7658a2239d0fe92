import { EndpointBody, EventBody, ReceivedWebhook, RotateBody } from '../../contract/control/requests.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import type { EventName } from '../../contract/event-names.ts'
import { exampleEvent } from '../../contract/openapi/examples.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import {
  CHECK_MEANINGS,
  checkWebhook,
  isSignedWith,
  NoWebhookError,
  problemOf,
  readSavedWebhook,
  type WebhookHeaders,
} from '../../contract/webhook-check.ts'
import { type Delivery, stateOf, type WebhookEndpoint } from '../../domain/model.ts'
import type { World } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { readOpenDeliveries, secretsNow, WRONG_SECRET } from '../../engine/webhooks/courier.ts'
import type { WebhookHosts } from '../../engine/webhooks/webhook-hosts.ts'
import { carryOut } from '../carry-out.ts'
import { anyOf, createdIn, one, rowsFromOldest } from '../lists.ts'
import { demandNoProblems, refuseProblems } from '../refusal.ts'
import {
  bodyReader,
  type ControlHandlers,
  type ControlSettings,
  durationIn,
  found,
  param,
} from './control-call.ts'
import { aboutOf, deliveryView, endpointView, eventRecord } from './views.ts'

const readEndpoint = bodyReader<EndpointBody>(EndpointBody)
const readReceived = bodyReader<ReceivedWebhook>(ReceivedWebhook)
const readEvent = bodyReader<EventBody>(EventBody)
const readRotation = bodyReader<RotateBody>(RotateBody, { optional: true })

export function webhookCalls({ webhookHosts }: ControlSettings) {
  return {
    'GET /accounts/:account/webhook-endpoints': ({ runtime, answer }) =>
      answer(200, {
        data: [...runtime.account.world.endpoints.values()].map(endpointView),
      }),
    'POST /accounts/:account/webhook-endpoints': async ({ runtime, request, answer }) => {
      const { url, events, secret } = await readEndpoint(request)
      demandNoProblems(webhookUrlProblems('url', url, webhookHosts))
      const add = { type: 'AddEndpoint', url, events: events ?? null } as const
      const id = await carryOut(runtime, secret === undefined ? add : { ...add, secret }, 'operator')
      const endpoint = runtime.account.world.endpoints.get(id)
      return answer(201, endpointView(found('webhook endpoint', endpoint)))
    },
    'DELETE /accounts/:account/webhook-endpoints/:id': async ({ runtime, request, answer }) => {
      await readOpenDeliveries(runtime.account)
      await carryOut(runtime, { type: 'RemoveEndpoint', endpoint: param(request, 'id') }, 'operator')
      return answer(204)
    },
    'POST /accounts/:account/webhook-endpoints/:id/rotate-secret': async ({ runtime, request, answer }) => {
      const { overlap = '24h' } = await readRotation(request)
      const endpoint = param(request, 'id')
      await carryOut(
        runtime,
        {
          type: 'RotateEndpointSecret',
          endpoint,
          overlapMs: durationIn('overlap', overlap),
        },
        'operator',
      )
      const rotated = runtime.account.world.endpoints.get(endpoint)
      return answer(200, endpointView(found('webhook endpoint', rotated)))
    },

    'POST /accounts/:account/webhook-endpoints/:id/verify': async ({ runtime, request, answer }) => {
      const { world } = runtime.account
      const endpoint = found('webhook endpoint', world.endpoints.get(param(request, 'id')))
      const webhook = receivedWebhook(await readReceived(request))
      const secrets = secretsNow(endpoint, runtime.account.now)
      const checks = checkWebhook({ ...webhook, secrets, now: webhook.receivedAt ?? Date.now() })
      return answer(200, {
        valid: problemOf(checks) === null,
        id: webhook.headers['webhook-id'] ?? null,
        checks: checks.map(({ check, problem }) => {
          const signer = check === 'signature' && problem ? otherSigner(webhook, endpoint, world) : undefined
          return { check, means: CHECK_MEANINGS[check], fault: signer ? `${problem}; ${signer}` : problem }
        }),
      })
    },

    'GET /accounts/:account/events': async ({ runtime, answer }) => {
      const { world } = runtime.account
      return answer(200, { data: await rowsFromOldest(world.events, event => eventRecord(event, runtime)) })
    },
    'POST /accounts/:account/events': async ({ runtime, request, answer }) => {
      const { type, event: copied, data } = await readEvent(request)
      if ((type === undefined) === (copied === undefined))
        throw refuseProblems([
          {
            field: copied === undefined ? 'type' : 'event',
            message: 'give either a type or an event to copy',
          },
        ])
      const { world } = runtime.account
      const original = copied === undefined ? undefined : found('event', world.events.get(copied))
      const name = original?.type ?? type ?? ''
      const before = original
        ? JSON.parse(runtime.rendering.event(original)).data
        : sampleData(name as EventName, runtime, request.requestId)
      const id = await carryOut(
        runtime,
        { type: 'SendEvent', name, data: { ...before, ...data } },
        'operator',
      )
      return answer(202, eventRecord(found('event', runtime.account.world.events.get(id)), runtime))
    },
    'GET /accounts/:account/webhook-deliveries': async ({ runtime, request, answer }) => {
      const { world } = runtime.account
      const isOfStatus = anyOf(request, 'status')
      const [payment, reference, endpoint] = ['payment', 'reference', 'endpoint'].map(name =>
        one(request, name),
      )
      const isWanted = (delivery: Delivery) => {
        if (!isOfStatus(stateOf(delivery))) return false
        if (endpoint !== undefined && delivery.endpointId !== endpoint) return false
        if (payment === undefined && reference === undefined) return true
        const about = aboutOf(delivery, world)
        return (
          (payment === undefined || about.record === payment) &&
          (reference === undefined || about.reference === reference)
        )
      }
      const view = (delivery: Delivery) => deliveryView(delivery, runtime)
      const data = await rowsFromOldest(world.deliveries, view, { ...createdIn(request), isWanted })
      return answer(200, { data })
    },
    'POST /accounts/:account/webhook-deliveries/:id/redeliver': async ({ runtime, request, answer }) => {
      const id = await carryOut(runtime, { type: 'Redeliver', delivery: param(request, 'id') }, 'operator')
      const delivery = runtime.account.world.deliveries.get(id)
      return answer(202, deliveryView(found('webhook delivery', delivery), runtime))
    },
  } satisfies Partial<ControlHandlers>
}

function receivedWebhook({ headers: text, body: given }: ReceivedWebhook) {
  try {
    const { body = given, ...saved } = readSavedWebhook(text)
    if (body !== undefined) return { ...saved, body }
  } catch (cause) {
    if (!(cause instanceof NoWebhookError)) throw cause
    throw refuseProblems([{ field: 'headers', message: cause.message }])
  }
  throw refuseProblems([
    { field: 'body', message: 'is missing: give it here, or with the headers after an empty line' },
  ])
}

/** Whose secret matches, if this endpoint's does not. */
function otherSigner(
  webhook: { readonly headers: WebhookHeaders; readonly body: string | Uint8Array },
  { id }: WebhookEndpoint,
  { endpoints }: World,
): string | undefined {
  if (isSignedWith(webhook, [WRONG_SECRET])) return 'the fault bad_signature signed it'
  for (const { id: other, url, secrets } of endpoints.values()) {
    if (
      !isSignedWith(
        webhook,
        secrets.map(({ secret }) => secret),
      )
    )
      continue
    return other === id
      ? 'it was signed with a secret that this endpoint no longer has'
      : `it was signed with the secret of ${other}, ${url}`
  }
  return undefined
}

/** The data of an example of the API, with an id of its own, in this account and now. */
function sampleData(
  name: EventName,
  { account, rendering }: AccountRuntime,
  requestId: string,
): Readonly<Record<string, unknown>> {
  const data = Object(exampleEvent(name, rendering.lens.contract)).data
  const at = formatTimestamp(account.now)
  const id = `${name.startsWith('payout') ? 'po' : 'pi'}_${requestId.slice(requestId.indexOf('_') + 1)}`
  return { ...data, id, environment: account.environment, created_at: at, updated_at: at }
}

/** Checks an endpoint's URL early, for a clear error. Each attempt checks again which address it connects to. */
export function webhookUrlProblems(field: string, text: string, hosts: WebhookHosts): FieldProblem[] {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return [{ field, message: 'must be an absolute http or https URL' }]
  const url = new URL(text)
  if (url.username || url.password) return [{ field, message: 'must not carry credentials' }]
  const message = hosts.problem(url)
  return message === undefined ? [] : [{ field, message }]
}
