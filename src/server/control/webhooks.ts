import { EndpointBody, RotateBody } from '../../contract/control/requests.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { demandNoProblems } from '../refusal.ts'
import { bodyReader, durationIn, param, runtimeNamed, send, sendNothing } from './control-call.ts'
import type { ControlSettings } from './settings.ts'
import { deliveryView, endpointView, eventRecord } from './views.ts'
import { webhookUrlProblems } from './webhook-url.ts'

const readEndpoint = bodyReader<EndpointBody>(EndpointBody)
const readRotation = bodyReader<RotateBody>(RotateBody, { optional: true })

export function webhookCalls(scope: Routes, { gateway, webhookHosts }: ControlSettings): void {
  const endpoints = '/accounts/:account/webhook-endpoints'
  scope.get(endpoints, (request, reply) =>
    send(reply, 200, {
      data: [...runtimeNamed(gateway, request).account.world.endpoints.values()].map(endpointView),
    }),
  )
  scope.post(endpoints, async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const { url, events, secret } = await readEndpoint(request)
    demandNoProblems(webhookUrlProblems('url', url, webhookHosts))
    const add = { type: 'AddEndpoint', url, events: events ?? null } as const
    const id = await carryOut(runtime, secret === undefined ? add : { ...add, secret }, 'operator')
    const endpoint = runtime.account.world.endpoints.get(id)
    return send(reply, 201, endpoint && endpointView(endpoint))
  })
  scope.delete(`${endpoints}/:id`, async (request, reply) => {
    await carryOut(
      runtimeNamed(gateway, request),
      { type: 'RemoveEndpoint', endpoint: param(request, 'id') },
      'operator',
    )
    return sendNothing(reply)
  })
  scope.post(`${endpoints}/:id/rotate-secret`, async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
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
    return send(reply, 200, rotated && endpointView(rotated))
  })

  scope.get('/accounts/:account/events', (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    return send(reply, 200, {
      data: [...runtime.account.world.events.keys()].map(id => eventRecord(id, runtime)),
    })
  })
  scope.get('/accounts/:account/webhook-deliveries', (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    return send(reply, 200, {
      data: [...runtime.account.world.deliveries.values()].map(it => deliveryView(it, runtime)),
    })
  })
  scope.post('/accounts/:account/webhook-deliveries/:id/redeliver', async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const id = await carryOut(runtime, { type: 'Redeliver', delivery: param(request, 'id') }, 'operator')
    const delivery = runtime.account.world.deliveries.get(id)
    return send(reply, 202, delivery && deliveryView(delivery, runtime))
  })
}
