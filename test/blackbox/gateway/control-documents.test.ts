import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DECISIONS } from '../../../src/contract/decisions.ts'
import { controlDocument } from '../../../src/contract/openapi/control-document.ts'
import { resolveContract } from '../../../src/contract/resolve-contract.ts'
import { openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { scratchDirectory } from '../../support/gateway/serve-process.ts'
import { fileServer, ownServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'

const server = fileServer()

describe('metrics', () => {
  test('are Prometheus text: every line is a comment or a sample', async () => {
    await createPayment(await openAccount(server()))
    const answer = await server().control('GET', '/metrics')
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
    const lines = answer.text.trimEnd().split('\n')
    expect(lines.filter(line => line.startsWith('# TYPE ')).length).toBeGreaterThan(0)
    for (const line of lines) {
      expect(line).toMatch(/^(# (TYPE|HELP) .*|[a-zA-Z_:][\w:]*(\{.*\})? [-+\w.]+( \d+)?|)$/)
    }
  })

  test('count requests', async () => {
    const total = async () => {
      const { text } = await server().control('GET', '/metrics')
      const samples = text.split('\n').filter(line => /request/.test(line) && !line.startsWith('#'))
      return samples.map(line => Number(line.split(' ').at(-1))).reduce((sum, value) => sum + value, 0)
    }
    const before = await total()
    await server().call('GET', '/payout_intents')
    expect(await total()).toBeGreaterThan(before)
  })

  test('contain no secret key', async () => {
    const account = await openAccount(server())
    await createPayment(account)
    expect((await server().control('GET', '/metrics')).text).not.toContain(account.keys.secret_key)
  })
})

describe('openapi.json', () => {
  test('is OpenAPI 3.1 with all seven operations and nothing of the control surface', async () => {
    const document = await succeeded(server().control('GET', '/openapi.json'))
    expect(document.openapi).toMatch(/^3\.1\./)
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item as object)
        .filter(key => ['get', 'post', 'put', 'patch', 'delete'].includes(key))
        .map(method => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, '{id}')}`),
    )
    expect(operations.sort()).toEqual([
      'GET /payment_intents/{id}',
      'GET /payment_methods/options',
      'GET /payout_intents',
      'POST /payment_intents',
      'POST /payment_intents/{id}/cancel-pending',
      'POST /payment_intents/{id}/receipt',
      'POST /payout_intents/{id}/cancel',
    ])
  })
})

test('control.json is the OpenAPI document of the control surface and needs its token', async () => {
  const document = await succeeded(server().control('GET', '/control.json'))
  expect(document).toEqual(
    JSON.parse(JSON.stringify(controlDocument(resolveContract({}), server().controlUrl))),
  )
  expect((await server().control('GET', '/control.json', { anonymous: true })).status).toBe(401)
})

describe('the contract', () => {
  test('lists every decision by key, with its kind', async () => {
    const listed = await succeeded(server().control('GET', '/contract'))
    expect(listed).toEqual(
      Object.fromEntries(
        Object.entries(DECISIONS).map(([key, { kind }]) => [
          key,
          { value: expect.stringMatching(/\S/), kind: kind === 'constant' ? 'constant' : 'switch' },
        ]),
      ),
    )
  })

  test('matches the file given at start, and the server follows it', async () => {
    const file = join(await scratchDirectory(), 'contract.yaml')
    await writeFile(file, 'list.last_cursor: omit\nstatus.payout_cancel: 202\nauth.failure_status: "403"\n')
    const own = await ownServer({ args: ['--contract', file] })
    expect((await own.call('GET', '/payout_intents')).body).toEqual({ data: [], has_more: false })
    expect((await own.call('GET', '/payout_intents', { anonymous: true })).status).toBe(403)
    const account = await openAccount(own)
    const { id } = await succeeded(
      account.control('POST', '/payouts', {
        body: {
          amount: '1',
          currency: 'THB',
          country: 'TH',
          merchant_reference: 'x',
          recipient: { bank_code: 'bbl', holder_name: 'A', account_number: '12345678' },
        },
      }),
    )
    expect((await account.call('POST', `/payout_intents/${id}/cancel`)).status).toBe(202)
    const given = await own.control('GET', '/contract')
    const standard = await server().control('GET', '/contract')
    expect(given.text).not.toBe(standard.text)
    expect(given.text).toMatch(/"omit"/)
  })
})

test('health and ready answer 200', async () => {
  for (const path of ['/health', '/ready']) {
    expect((await server().control('GET', path)).status).toBe(200)
  }
})
