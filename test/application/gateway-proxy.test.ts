import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Application } from '../../src/application/application.ts'
import { ArmedDisturbances } from '../../src/application/disturbance.ts'
import { type CallWatcher, GatewayProxy } from '../../src/application/gateway-proxy.ts'
import { postWebhook } from '../../src/application/request-once.ts'
import { HeldAnswer, WebhookRelay } from '../../src/application/webhook-relay.ts'
import { posted } from '../../src/application/webhook-variants.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'

const SECRET = `whsec_${Buffer.from('the secret of the account').toString('base64')}`

async function proxy(contract: Record<string, unknown>, kind: 'call-503' | 'call-429') {
  const opened = await GatewayProxy.open('http://127.0.0.1:1')
  onTestFinished(() => opened.close())
  const disturbances = new ArmedDisturbances()
  disturbances.arm({ kind, call: 'GET /payment_intents' })
  const watcher: CallWatcher = {
    step: 0,
    calls: [],
    contract: resolveContract(contract),
    disturbCall: ({ operation }) => disturbances.ofCall(operation),
    deliverWebhooks: async () => false,
    cameToNothing() {},
    onActivity() {},
  }
  opened.watcher = watcher
  return fetch(`${opened.url}/payment_intents`)
}

test('a refusal has the form that the contract gives to errors', async () => {
  const nested = await proxy({}, 'call-429')
  expect([nested.status, nested.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await nested.json()).toMatchObject({ error: { code: 'rate_limited', request_id: 'req_disturbed' } })
  const flat = await proxy({ 'errors.body': 'flat' }, 'call-503')
  expect(await flat.json()).toMatchObject({ code: 'service_unavailable', details: [] })
  const problem = await proxy({ 'errors.body': 'problem' }, 'call-503')
  expect(problem.headers.get('content-type')).toContain('application/problem+json')
})

test('a gateway that goes away answers 503 first, and then not at all until it is back', async () => {
  const opened = await GatewayProxy.open('http://127.0.0.1:1')
  onTestFinished(() => opened.close())
  const disturbances = new ArmedDisturbances()
  disturbances.arm({ kind: 'call-outage', call: 'POST /payment_intents' })
  const watcher: CallWatcher = {
    step: 0,
    calls: [],
    contract: resolveContract({}),
    disturbCall: ({ operation }) => disturbances.ofCall(operation),
    deliverWebhooks: async () => false,
    cameToNothing() {},
    onActivity() {},
  }
  opened.watcher = watcher
  const post = () => fetch(`${opened.url}/payment_intents`, { method: 'POST', body: '{}' })
  expect((await post()).status).toBe(503)
  await expect(post()).rejects.toThrow()
  await expect(fetch(`${opened.url}/payment_methods/options`)).rejects.toThrow()
  expect(watcher.calls.map(({ disturbed }) => disturbed)).toEqual(Array(3).fill('call-outage'))
  expect(disturbances.endOutage()).toBe(true)
  // No gateway listens at that port.
  await expect(post()).rejects.toThrow()
  expect(watcher.calls.at(-1)?.disturbed).toBe('the gateway gave no answer')
})

test('a web page cannot call the proxy under a name of its own', async () => {
  const opened = await GatewayProxy.open('http://127.0.0.1:1')
  onTestFinished(() => opened.close())
  const statusUnder = async (host: string) => {
    const sent = request(opened.url, { headers: { host } }).end()
    const [{ statusCode }] = await once(sent, 'response').catch(() => [{ statusCode: 0 }])
    return statusCode
  }
  for (const host of ['shop.example', 'shop.example:80', '127.0.0.1.shop.example', 'localhost.shop.example'])
    expect(await statusUnder(host), host).toBe(421)
  // The connection ends without an answer where there is no gateway.
  for (const host of ['127.0.0.1', '[::1]:80', 'localhost', 'host.docker.internal:80', 'paysim'])
    expect(await statusUnder(host), host).toBe(0)
})

test('a proxy without calls is idle at once', async () => {
  const opened = await GatewayProxy.open('http://127.0.0.1:1')
  await opened.idle(60_000)
  await opened.close()
})

test.each(['webhook-order', 'webhook-late'] as const)(
  '%s does not hold back the last attempt of the schedule',
  async kind => {
    const { Agent } = await import('undici')
    const agent = new Agent()
    onTestFinished(() => agent.destroy())
    const disturbances = new ArmedDisturbances()
    const event = {
      id: 'evt_1',
      type: 'payment.failed',
      timestamp: '2030-01-01T00:00:00Z',
      environment: 'test',
      data: {},
    }
    disturbances.arm({ kind, event: event.type, attempts: 99 })
    const relay = new WebhookRelay({
      post: message => postWebhook('http://127.0.0.1:1/', message, agent),
      secret: SECRET,
      retries: 2,
      disturbances,
      deliveries: [],
      step: () => 0,
      arrivesLate: async () => {},
      heldAnswer: new HeldAnswer(),
      payerReturns: async () => {},
      forging: async deliver => {
        await deliver()
        return async () => {}
      },
      onActivity() {},
    })
    const answers = []
    for (let attempt = 1; attempt <= 3; attempt++) answers.push(await relay.take(posted(event, SECRET)))
    // The first two are hidden from the scenario; the third reaches the application, which does not run.
    expect(answers.map(({ isHidden }) => isHidden ?? false)).toEqual([true, true, false])
  },
)

test('a time limit may have a fraction', async () => {
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const application = await Application.open({
    spec: { url: `http://127.0.0.1:${port}` },
    cwd: '.',
    gateway: 'http://127.0.0.1:1',
    credentials: { publicKey: '', secretKey: '', webhookSecret: '' },
    run: 'run',
  })
  onTestFinished(() => application.close())
  const request = { method: 'GET', path: '/', headers: {} }
  expect(await application.ask(request, 60_000.5)).toMatchObject({ status: 200, text: '{}' })
})
