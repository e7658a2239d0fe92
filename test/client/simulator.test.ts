import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError, type ClientOptions } from '../../src/client/index.ts'
import { clientFor, ORDER, refusal } from '../support/client/client.ts'
import { removeDirectory, type Server, startServer } from '../support/gateway/server.ts'
import { jpeg, png } from '../support/payments/receipt-images.ts'

const ELSEWHERE = {
  'create.path': '/payments',
  'fields.absent': 'omit',
  'status.receipt': 202,
  'status.payout_cancel': 202,
  'auth.failure_status': 403,
  'methods.banks_empty': 'omit',
}

// As the decisions are by default, and as other servers may have decided.
describe.each([
  ['the default contract', {}, {}, 401],
  [
    'flat errors and no last cursor',
    { ...ELSEWHERE, 'errors.body': 'flat', 'list.last_cursor': 'omit' },
    { createPath: '/payments' },
    403,
  ],
  [
    'problems and an empty last cursor',
    { ...ELSEWHERE, 'errors.body': 'problem', 'list.last_cursor': 'empty' },
    { createPath: '/payments' },
    403,
  ],
])('against the simulator with %s', (_, contract, options: Partial<ClientOptions>, unauthorized) => {
  let directory: string
  let server: Server
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'paysim-client-'))
    await writeFile(join(directory, 'contract.json'), JSON.stringify(contract))
    server = await startServer({
      dataDir: join(directory, 'data'),
      args: ['--contract', join(directory, 'contract.json'), '--clock', 'virtual'],
    })
  })
  afterAll(async () => {
    await server?.stop()
    await removeDirectory(directory)
  })

  async function account(settings = {}) {
    const { test } = await server.merchant({ clock: { mode: 'virtual' } })
    const keys = { publicKey: test.public_key, secretKey: test.secret_key }
    const control = (method: string, path: string, body: unknown) =>
      server.control(method, `/accounts/${test.id}${path}`, { body })
    return { client: clientFor(server.url, { ...keys, ...options, ...settings }), control }
  }

  const TRANSFER = {
    ...ORDER,
    checkout_mode: 'merchant',
    customer: { name: 'Somchai', phone: '+66812345678' },
    payment_method: 'th_bank_transfer',
    payment_method_options: { bank: 'bbl', account_name: 'Somchai', account_number: '1234567890' },
  }

  test('a client discovers methods, creates a payment, submits a receipt and waits for the end', async () => {
    const { control, client } = await account({
      sleep: () => control('POST', '/clock/advance', { by: '10s' }),
    })
    const { methods } = await client.methods.list({
      amount: '10000',
      country: 'TH',
      currency: 'THB',
      checkout_mode: 'merchant',
    })
    expect(methods.map(({ code }) => code)).toContain('th_bank_transfer')

    const created = await client.payments.create(TRANSFER).answer()
    expect(created.status).toBe(201)
    expect(created.requestId).toMatch(/^req_/)
    const { id, receipt, next_action } = created.body
    expect(receipt?.status).toBe('required')
    expect(next_action?.bank?.code).toBe('bbl')

    const path = join(directory, 'slip.jpg')
    await writeFile(path, jpeg())
    const submitted = client.payments.submitReceipt(id, { file: path })
    expect((await submitted).receipt?.status).toBe('processing')
    const again = await client.payments
      .submitReceipt(id, { file: jpeg(), idempotencyKey: submitted.idempotencyKey })
      .answer()
    expect(again.headers['idempotent-replayed']).toBe('true')

    const told: (string | undefined)[] = []
    const waited = client.payments.wait(id, {
      timeoutMs: 1_000_000,
      onUpdate: async payment => {
        told.push(payment.receipt?.status)
        if (payment.receipt?.status === 'submitted') await control('POST', `/payments/${id}/succeed`, {})
      },
    })
    expect((await waited).status).toBe('succeeded')
    expect(told.slice(0, 2)).toEqual(['processing', 'submitted'])
    expect((await client.payments.get(id)).status).toBe('succeeded')
  })

  test('a key gives one payment, and another image with the same key is a conflict', async () => {
    const { client } = await account()
    const first = await client.payments.create(TRANSFER, { idempotencyKey: 'order-1' })
    const second = await client.payments.create(TRANSFER, { idempotencyKey: 'order-1' })
    expect(second.id).toBe(first.id)
    await client.payments.submitReceipt(first.id, { file: png(1), idempotencyKey: 'slip' })
    const other = client.payments.submitReceipt(first.id, { file: png(2), idempotencyKey: 'slip' })
    expect((await refusal(other, ApiError)).code).toBe('idempotency_conflict')
  })

  test('a client reads refusals, whatever their shape', async () => {
    const { client } = await account()
    expect(await refusal(client.payments.get('pi_none'), ApiError)).toMatchObject({
      status: 404,
      code: 'not_found',
      requestId: expect.stringMatching(/^req_/),
    })
    const invalid = await refusal(client.payments.create({ ...ORDER, amount: '0' }), ApiError)
    expect(invalid).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(invalid.details.map(({ field }) => field)).toEqual(['amount'])
    const stranger = clientFor(server.url, options)
    expect(await refusal(stranger.payouts.list(), ApiError)).toMatchObject({
      status: unauthorized,
      code: 'unauthorized',
    })
  })

  test('a pending payment is cancelled', async () => {
    const { client, control } = await account()
    const { id } = await client.payments.create({ ...TRANSFER, payment_method: 'th_bank_transfer' })
    expect((await client.payments.cancelPending(id).answer()).status).toBe(202)
    await control('POST', '/clock/advance', { by: '1m' })
    expect((await client.payments.wait(id)).failure_code).toBe('payment_cancelled')
  })

  test('a client lists payouts page by page, and cancels one', async () => {
    const { client, control } = await account()
    for (let count = 0; count < 5; count++)
      await control('POST', '/payouts', {
        amount: '100',
        currency: 'THB',
        country: 'TH',
        merchant_reference: `salary-${count}`,
        recipient: { bank_code: 'bbl', holder_name: 'Malee', account_number: '1234567890' },
      })
    const walked: string[][] = []
    for await (const { payouts } of client.payouts.pages({
      limit: 2,
      status: ['requires_approval', 'failed'],
    }))
      walked.push(payouts.map(payout => payout.merchant_reference))
    expect(walked.map(page => page.length)).toEqual([2, 2, 1])
    expect(new Set(walked.flat()).size).toBe(5)

    const [payout] = (await client.payouts.list({ merchant_reference: 'salary-3' })).data
    const id = payout?.id ?? ''
    expect((await client.payouts.cancel(id, { reason: 'wrong account' })).status).toBe('cancelled')
    expect((await refusal(client.payouts.cancel(id), ApiError)).code).toBe('invalid_state')
  })

  test('a client gets an answer again by its key when it was lost after the work was done', async () => {
    const { client, control } = await account()
    const on = `POST ${options.createPath ?? '/payment_intents'}`
    await control('PUT', '/faults', { faults: [{ on, nth: 1, type: 'reset', when: 'after_commit' }] })
    const answer = await client.payments.create(TRANSFER, { idempotencyKey: 'lost' }).answer()
    expect(answer).toMatchObject({ status: 201, attempts: 2 })
    expect(answer.headers['idempotent-replayed']).toBe('true')
  })
})
