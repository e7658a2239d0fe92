import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { openAccount } from '../../support/gateway/merchant.ts'
import { removeDirectory, runBinary, type Server } from '../../support/gateway/server.ts'
import { ownServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { notBehindBalancer } from '../../support/gateway/worker-server.ts'
import { TIMESTAMP } from '../../support/http/answers.ts'
import { exchange } from '../../support/http/raw-socket.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, movePayout } from '../../support/payments/payouts.ts'
import { type Delivery, listen } from '../../support/webhooks/receiver.ts'

/** What the OpenAPI document says beside the shapes of answers: servers, 429, links, examples, webhooks. */

// biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever came back
type Json = any

const server = sharedServer()
const documentOf = async (from: Server): Promise<Json> => (await from.control('GET', '/openapi.json')).body

const operationsOf = ({ paths }: Json): Json[] =>
  Object.values<Json>(paths).flatMap(item => Object.values<Json>(item))
const operationOf = (document: Json, id: string): Json =>
  operationsOf(document).find(({ operationId }) => operationId === id)

describe('servers', () => {
  /** As somebody gets it who knows the server by this name. */
  async function serversSeenAs(host: string, from: Server): Promise<Json> {
    const path = `${new URL(from.controlUrl).pathname}/openapi.json`
    const head = [`GET ${path} HTTP/1.0`, `Host: ${host}`, `Authorization: Bearer ${from.controlToken}`]
    const answer = await exchange(from.controlUrl, `${head.join('\r\n')}\r\n\r\n`)
    const document = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    return document.servers.map(({ url }: { url: string }) => url)
  }

  test.each(['127.0.0.1', 'localhost', 'pay.localhost', '[::1]'])('name the host %s', async name => {
    const { port } = new URL(server().url)
    expect(await serversSeenAs(`${name}:${port}`, server())).toEqual([`http://${name}:${port}`])
  })

  test('name the port of the Host header, as published by a container', async () => {
    expect(await serversSeenAs('localhost:8080', server())).toEqual(['http://localhost:8080'])
    expect(await serversSeenAs('localhost', server())).toEqual(['http://localhost'])
  })

  test.skipIf(notBehindBalancer('the address of one process itself'))(
    'stay a valid URL if the port of the Host is invalid',
    async () => {
      expect(await serversSeenAs('localhost:99999', server())).toEqual([server().url])
    },
  )

  test('name the merchant API if the control surface has its own port', async () => {
    const apart = await ownServer({
      args: ['--ephemeral', '--control-port', '0', '--allow-host', 'pay.test'],
    })
    expect(new URL(apart.controlUrl).port).not.toBe(new URL(apart.url).port)
    const { port: control } = new URL(apart.controlUrl)
    const { port } = new URL(apart.url)
    expect(await serversSeenAs(`pay.test:${control}`, apart)).toEqual([`http://pay.test:${port}`])
    expect(await serversSeenAs(`127.0.0.1:${control}`, apart)).toEqual([apart.url])
  })

  test('are the default or the given address in the printed document', async () => {
    const printed = async (...flags: string[]) =>
      JSON.parse((await runBinary(['openapi', ...flags])).stdout).servers.map(({ url }: Json) => url)
    expect(await printed()).toEqual(['http://127.0.0.1:7297'])
    expect(await printed('--server', 'https://pay.example/v1')).toEqual(['https://pay.example/v1'])
  })
})

test('every operation documents 429 with Retry-After, and a fault can send it', async () => {
  const document = await documentOf(server())
  for (const { operationId, responses } of operationsOf(document)) {
    expect(responses, operationId).toHaveProperty(['429', 'headers', 'Retry-After'])
    expect(responses, operationId).toHaveProperty(['503', 'headers', 'Retry-After'])
  }
  const account = await openAccount(server())
  const faults = [{ on: '*', type: 'status', status: 429, retry_after: '2s' }]
  await account.control('PUT', '/faults', { body: { faults } })
  const answer = await account.call('GET', '/payout_intents')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '2'])
})

test('links lead from a creation to its payment and from a list to its first payout', async () => {
  const document = await documentOf(server())
  const leads = (id: string, status: string) =>
    Object.values<Json>(operationOf(document, id).responses[status].links).map(
      ({ operationId, parameters }) => [operationId, parameters.id],
    )
  expect(leads('createPayment', '201')).toEqual([
    ['getPayment', '$response.body#/id'],
    ['cancelPayment', '$response.body#/id'],
    ['submitReceipt', '$response.body#/id'],
  ])
  expect(leads('listPayouts', '200')).toEqual([['cancelPayout', '$response.body#/data/0/id']])
})

/** Contracts under which the shapes differ most. */
const CONTRACTS: [name: string, overrides: Record<string, unknown>][] = [
  ['the contract as it is', {}],
  [
    'another contract',
    {
      'errors.body': 'problem',
      'fields.absent': 'omit',
      'list.last_cursor': 'omit',
      'methods.payer_keys': 'relevant',
      'methods.banks_empty': 'omit',
      'payment.after_cancel': 'expired',
      'status.receipt': 202,
      'strict.unknown_members': 'reject',
      'strict.nulls': 'absent',
      'idempotency.refusals': 'forget',
    },
  ],
  [
    'a third one',
    {
      'errors.body': 'flat',
      'auth.failure_status': 403,
      'errors.idempotency_conflict': 422,
      'list.last_cursor': 'empty',
      'create.idempotency': 'off',
      'create.merchant_reference': 'optional',
      'methods.denied_mode': 'empty',
    },
  ],
]

describe.each(CONTRACTS)('with %s', (_, overrides) => {
  let document: Json
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'paysim-openapi-'))
    const file = join(directory, 'contract.json')
    await writeFile(file, JSON.stringify(overrides))
    document = JSON.parse((await runBinary(['openapi', '--contract', file])).stdout)
    await removeDirectory(directory)
  })

  test('every request and answer has an example, and each matches its schema', () => {
    const found = [...examplesIn(document)]
    const places = found.map(({ place }) => place)
    for (const { operationId, parameters, requestBody, responses } of operationsOf(document)) {
      for (const type of Object.keys(requestBody?.content ?? {}))
        expect(places).toContain(`${operationId} takes ${type}`)
      for (const { name } of parameters) expect(places).toContain(`${operationId} takes ${name}`)
      for (const status of Object.keys(responses))
        expect(places).toContain(`${operationId} answers ${status}`)
    }
    for (const name of Object.keys(document.webhooks)) expect(places).toContain(`${name} is`)
    expect(found.length).toBeGreaterThan(100)
    for (const { place, schema, value } of found) expectFits(document, schema, value, place)
  })

  test('documents a replayed refusal only where it is stored', () => {
    const { responses } = operationOf(document, 'cancelPayment')
    const isReplayed = 'Idempotent-Replayed' in responses['422'].headers
    expect(isReplayed).toBe(overrides['idempotency.refusals'] !== 'forget')
    expect(responses['202'].headers).toHaveProperty('Idempotent-Replayed')
  })

  test('the check detects an example that breaks its schema', () => {
    const { schema, value } = [...examplesIn(document)].find(({ place }) => place === 'payout.cancelled is')
    expect(() => expectFits(document, schema, { ...value, type: 'payout.failed' }, '')).toThrow()
    expect(() => expectFits(document, schema, { ...value, more: 1 }, '')).toThrow()
  })
})

function* examplesIn(document: Json): Generator<Json> {
  for (const { operationId, parameters, requestBody, responses } of operationsOf(document)) {
    for (const { name, example, schema } of parameters)
      if (example !== undefined) yield { place: `${operationId} takes ${name}`, schema, value: example }
    yield* mediaIn(document, requestBody?.content, type => `${operationId} takes ${type}`)
    for (const [status, { content }] of Object.entries<Json>(responses))
      yield* mediaIn(document, content, () => `${operationId} answers ${status}`)
  }
  for (const [name, { post }] of Object.entries<Json>(document.webhooks)) {
    yield* mediaIn(document, post.requestBody.content, () => `${name} is`)
    for (const { name: header, example, schema } of post.parameters)
      yield { place: `${name} brings ${header}`, schema, value: example }
  }
}

function* mediaIn(document: Json, content: Json, placeOf: (type: string) => string): Generator<Json> {
  for (const [type, { schema, example, examples }] of Object.entries<Json>(content ?? {})) {
    if (example !== undefined) yield { place: placeOf(type), schema, value: example }
    for (const one of Object.values<Json>(examples ?? {})) {
      const { value } = one.$ref ? document.components.examples[one.$ref.split('/').at(-1)] : one
      yield { place: placeOf(type), schema, value }
    }
  }
}

const formats = { uri: URL.canParse, 'date-time': TIMESTAMP }
const ajv = new Ajv2020({ strict: false, formats, allErrors: true })

function expectFits({ components }: Json, schema: Json, value: unknown, place: string): void {
  expect(ajv.validate({ ...schema, components }, value), `${place}: ${ajv.errorsText()}`).toBe(true)
}

test('a new simulator accepts the example requests', async () => {
  const document = await documentOf(server())
  const { call } = server()
  const example = (id: string) => operationOf(document, id).requestBody.content['application/json'].example
  const made = await call('POST', '/payment_intents', { body: example('createPayment') })
  expect(made.status, made.text).toBe(201)
  const query = operationOf(document, 'listPaymentMethods').parameters.map(
    ({ name, example: value }: Json) => value && `${name}=${value}`,
  )
  const methods = await call('GET', `/payment_methods/options?${query.filter(Boolean).join('&')}`)
  expect(methods.body.methods.map(({ code }: Json) => code)).toContain(
    example('createPayment').payment_method,
  )
})

describe('webhooks', () => {
  const expectDescribed = (document: Json, { event, headers }: Delivery) => {
    const { post } = document.webhooks[event.type]
    expectFits(document, post.requestBody.content['application/json'].schema, event, event.type)
    for (const { name, schema } of post.parameters) {
      expect(headers, event.type).toHaveProperty([name])
      expectFits(document, schema, headers[name], `${name} of ${event.type}`)
    }
  }

  test('describe each event as it is sent, with its headers', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account, ['*'])
    for (const end of ['succeed', 'fail', 'expire'])
      await account.trigger((await createPayment(account)).id, end)
    const cancelled = await createPayment(account, { payment_method: 'th_promptpay' })
    await account.call('POST', `/payment_intents/${cancelled.id}/cancel-pending`, {
      headers: { 'content-type': 'application/json' },
    })
    for (const moves of [
      ['approve', 'succeed'],
      ['approve', 'fail'],
    ]) {
      const { id } = await addPayout(account)
      for (const move of moves) await movePayout(account, id, move)
    }
    await cancelPayout(account, (await addPayout(account)).id, { reason: 'Sent twice' })
    await cancelPayout(account, (await addPayout(account)).id)
    await account.advance('1m')

    const document = await documentOf(server())
    const names = new Set(receiver.deliveries.map(({ event }) => event.type))
    expect([...names].sort()).toEqual(Object.keys(document.webhooks).sort())
    for (const delivery of receiver.deliveries) expectDescribed(document, delivery)
    const reasons = receiver.deliveries.map(({ event }) => event.data.cancel_reason)
    expect(reasons).toContain('Sent twice')
    const [delivery] = receiver.deliveries
    if (!delivery) throw new Error('nothing came')
    const { 'webhook-signature': _, ...unsigned } = delivery.headers
    expect(() => expectDescribed(document, { ...delivery, headers: unsigned })).toThrow()
  })
})
