import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import type { Answer, CallOptions } from '../../support/gateway/server.ts'
import { contractServer } from '../../support/gateway/shared-server.ts'
import {
  type InvalidValue,
  invalidQueries,
  invalidValues,
  type Schema,
  valuesOf,
  variationsOf,
} from '../../support/http/generated-values.ts'
import { imageFile, multipart } from '../../support/http/multipart.ts'
import { isLong } from '../../support/long-form.ts'
import { png } from '../../support/payments/receipt-images.ts'

/**
 * Requests made from the OpenAPI document of the running server and from nothing else. `account.call` holds each answer
 * against that document, so what is looked at here is who is refused: what keeps to the document never for its form,
 * what breaks it in one place always.
 */

// biome-ignore lint/suspicious/noExplicitAny: a document as it came
type Json = any

const CHANCE = { seed: 20260101, numRuns: isLong ? 25 : 4 }

/** Contracts that change what a request may be, and what an answer is. */
const CONTRACTS: [name: string, contract: Record<string, unknown>][] = [
  ['the contract as it is', {}],
  [
    'another contract',
    {
      'create.path': '/v2/charges',
      'create.idempotency': 'required',
      'create.merchant_reference': 'optional',
      'errors.body': 'problem',
      'fields.absent': 'omit',
      'list.last_cursor': 'omit',
      'methods.payer_keys': 'relevant',
      'methods.banks_empty': 'omit',
      'receipt.file_faults': '413/415',
      'status.receipt': 202,
      'status.payout_cancel': 202,
      'strict.nulls': 'absent',
      'strict.unknown_members': 'reject',
    },
  ],
]

describe.each(CONTRACTS)('with %s', (_, contract) => {
  const server = contractServer(contract)
  let account: Account
  let operations: Operation[]
  let errorOf: (answer: Answer) => Json

  beforeAll(async () => {
    // With the catalogue that a new simulator has: the examples speak of it.
    account = await openAccount(server(), { catalogue: undefined })
    const document = (await server().control('GET', '/openapi.json')).body
    operations = operationsOf(document)
    errorOf = ({ body }) => (document.components.schemas.Error.properties.error ? body.error : body)
  })

  const called = (id: string): Operation => {
    const found = operations.find(operation => operation.id === id)
    if (!found) throw new Error(`the document has no ${id}`)
    return found
  }

  /** The records that the links of the document lead to, by the operation that they are for. */
  async function linked(from: string, request: Request): Promise<Map<string, string>> {
    const operation = called(from)
    const answer = await send(operation, request)
    const links = Object.values<Json>(operation.responses[answer.status].links ?? {})
    return new Map(
      links.map(({ operationId, parameters }) => [operationId, pointedAt(parameters.id, answer.body)]),
    )
  }

  let keys = 0
  const freshKey = () => `key-${++keys}`

  function send({ method, path, parameters }: Operation, request: Request): Promise<Answer> {
    const { query, body, raw, headers, record = 'unknown' } = request
    const takesKey = parameters.some(({ in: place }) => place === 'header')
    const search = query ? `?${textOf(query)}` : ''
    return account.call(method, path.replace('{id}', encodeURIComponent(record)) + search, {
      ...(body === undefined ? {} : { body }),
      ...(raw === undefined ? {} : { raw }),
      headers: {
        ...(takesKey ? { 'idempotency-key': freshKey() } : {}),
        ...(method === 'POST' && raw === undefined ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
    })
  }

  const exampleOf = (operation: Operation): Request =>
    operation.body
      ? { body: operation.body.example }
      : operation.query
        ? { query: operation.query.example }
        : {}

  /** A record for each operation that wants one. A merchant cannot make a payout, so one is made for it. */
  async function records(): Promise<Map<string, string>> {
    const recipient = { bank_code: 'bbl', holder_name: 'Somchai', account_number: '1234567890' }
    const payout = { amount: '5000', currency: 'THB', country: 'TH', merchant_reference: 'refund', recipient }
    await account.control('POST', '/payouts', { body: payout })
    const created = await linked('createPayment', exampleOf(called('createPayment')))
    return new Map([...created, ...(await linked('listPayouts', { query: {} }))])
  }

  const refusals = (answer: Answer): string[] =>
    answer.status === 400 ? errorOf(answer).details.map(({ field }: Json) => field) : []

  test('the links of a new payment and of the payout list lead to the right records', async () => {
    const found = await records()
    expect([...found.keys()].sort()).toEqual(['cancelPayment', 'cancelPayout', 'getPayment', 'submitReceipt'])
    const follow = (id: string, request: Request) => send(called(id), { ...request, record: found.get(id) })
    expect((await follow('getPayment', {})).body.id).toBe(found.get('getPayment'))
    const image = multipart([imageFile(png())])
    const receipt = await follow('submitReceipt', image)
    expect(receipt.body, receipt.text).toMatchObject({
      id: found.get('submitReceipt'),
      receipt: { status: 'processing' },
    })
    const cancelled = await follow('cancelPayment', {})
    expect([cancelled.status, cancelled.body.id]).toEqual([202, found.get('cancelPayment')])
    const payout = await follow('cancelPayout', exampleOf(called('cancelPayout')))
    expect(payout.body, payout.text).toMatchObject({ id: found.get('cancelPayout'), status: 'cancelled' })
  })

  test('a request that matches the document is not refused as malformed', async () => {
    const found = await records()
    const seen = new Map<string, Set<number>>()
    for (const operation of operations) {
      const made = operation.body
        ? fc.oneof(
            valuesOf(operation.body.schema),
            variationsOf(operation.body.schema, operation.body.example),
          )
        : valuesOf(operation.query?.schema ?? { type: 'object' })
      await fc.assert(
        fc.asyncProperty(made, async value => {
          const request = operation.body ? { body: value } : operation.query ? { query: value as object } : {}
          const answer = await send(operation, { ...request, record: found.get(operation.id) } as Request)
          seen.set(operation.id, (seen.get(operation.id) ?? new Set()).add(answer.status))
          expect(answer.status, answer.text).toBeLessThan(500)
          expect(answer.status, answer.text).not.toBe(415)
          for (const field of refusals(answer))
            expect(mayBeWrong(operation, request, field), answer.text).toBe(true)
        }),
        CHANCE,
      )
    }
    // Not all of it was turned down for other reasons.
    for (const { id, responses } of operations)
      if (id !== 'submitReceipt')
        expect(
          Object.keys(responses).filter(status => status < '300' && seen.get(id)?.has(Number(status))),
          id,
        ).toHaveLength(1)
  })

  test('a request that violates the document in one place is refused', async () => {
    const found = await records()
    for (const operation of operations) {
      const { body, query } = operation
      const expectRefused = async (request: Request, how: string) => {
        const answer = await send(operation, { ...request, record: found.get(operation.id) })
        expect([answer.status, errorOf(answer)?.code], `${operation.id}, ${how}: ${answer.text}`).toEqual([
          400,
          'validation_failed',
        ])
        expect(refusals(answer).length, answer.text).toBeGreaterThan(0)
      }
      const spoiled: [Request, string][] = [
        ...(body ? invalidValues(body.schema, body.example) : []).map(asBody),
        ...(query ? invalidQueries(query.schema, query.example) : []).map(asQuery),
      ]
      for (const [request, how] of spoiled) await expectRefused(request, how)
      const properties = query?.schema.properties ?? {}
      for (const name of Object.keys(properties).filter(name => properties[name].type === 'string')) {
        const twice = { ...query?.example, [name]: [['a'], ['b']] }
        await expectRefused({ query: twice }, `${name} is given twice`)
      }
      if (!body && !query) continue
      const schema = body?.schema ?? query?.schema
      await fc.assert(
        fc.asyncProperty(valuesOf(schema), fc.nat(), async (value, which) => {
          const all = body
            ? invalidValues(schema, value)
            : invalidQueries(schema, value as Record<string, unknown>)
          const one = all[which % all.length]
          if (!one) return
          const [request, how] = body ? asBody(one) : asQuery(one)
          await expectRefused(request, how)
        }),
        CHANCE,
      )
    }
  })

  test('refuses an invalid key and an invalid body', async () => {
    const found = await records()
    for (const operation of operations) {
      const record = found.get(operation.id)
      const request = { ...exampleOf(operation), record }
      const key = operation.parameters.find(({ in: place }) => place === 'header')
      if (key && operation.id !== 'submitReceipt') {
        for (const wrong of ['', 'ké', 'k'.repeat(256)]) {
          const answer = await send(operation, { ...request, headers: { 'idempotency-key': wrong } })
          expect(refusals(answer), answer.text).toEqual(['Idempotency-Key'])
        }
      }
      if (!operation.body) continue
      const wrongType = await send(operation, {
        record,
        raw: '{}',
        headers: { 'content-type': 'text/plain' },
      })
      expect(wrongType.status, wrongType.text).toBe(415)
      const half = await send(operation, {
        record,
        raw: '{"a":',
        headers: { 'content-type': 'application/json' },
      })
      expect(refusals(half), half.text).toEqual(['body'])
    }
  })
})

interface Request {
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly raw?: CallOptions['raw']
  readonly headers?: Record<string, string>
  readonly record?: string | undefined
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: { in: string; name: string; required: boolean; schema: Schema; example?: unknown }[]
  readonly responses: Json
  readonly body: { schema: Schema; example: object } | undefined
  /** All parameters of the query as one object. A cursor is not made up: it comes from an answer. */
  readonly query: { schema: Schema; example: Record<string, unknown> } | undefined
}

function operationsOf({ paths }: Json): Operation[] {
  return Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, { operationId: id, parameters, requestBody, responses }]) => ({
      id,
      method: method.toUpperCase(),
      path,
      parameters,
      responses,
      body: requestBody?.content['application/json'],
      query: queryOf(parameters),
    })),
  )
}

function queryOf(parameters: Operation['parameters']): Operation['query'] {
  const query = parameters.filter(({ in: place, name }) => place === 'query' && name !== 'cursor')
  if (query.length === 0) return undefined
  const schema = {
    type: 'object',
    required: query.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
  }
  const given = query.filter(({ example }) => example !== undefined)
  return { schema, example: Object.fromEntries(given.map(({ name, example }) => [name, example])) }
}

/** `$response.body#/data/0/id` in the body. */
const pointedAt = (expression: string, body: Json): string =>
  expression
    .replace('$response.body#/', '')
    .split('/')
    .reduce((value, name) => value[name], body)

const asBody = ({ how, value }: InvalidValue): [Request, string] => [{ body: value }, how]
const asQuery = ({ how, value }: InvalidValue): [Request, string] => [
  { query: value as Record<string, unknown> },
  how,
]

/** A list of lists is a name given more than once; a list is one text with commas. */
function textOf(query: Record<string, unknown>): string {
  return Object.entries(query)
    .flatMap(([name, value]) =>
      Array.isArray(value) && Array.isArray(value[0])
        ? value.flat().map(one => [name, one])
        : [[name, value]],
    )
    .map(([name, value]) => `${encodeURIComponent(String(name))}=${encodeURIComponent(String(value))}`)
    .join('&')
}

/** What only the catalogue knows: which fields and which bank the chosen method wants. */
const mayBeWrong = ({ id }: Operation, { body }: { body?: Json }, field: string) =>
  id === 'createPayment' &&
  body.payment_method !== undefined &&
  /^(customer|payment_method_options)\./.test(field)
