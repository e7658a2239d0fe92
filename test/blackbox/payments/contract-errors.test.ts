import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import type { Answer, Call, Server } from '../../support/gateway/server.ts'
import { contractServer } from '../../support/gateway/shared-server.ts'
import { imageFile } from '../../support/http/multipart.ts'
import { jpeg, MOST_BYTES, padded, png } from '../../support/payments/receipt-images.ts'
import { uploadParts } from '../../support/payments/receipts.ts'
import { hosted, paying } from '../../support/payments/requests.ts'

/** The switches that change how faults are told, each set against its default. */

const conflictOf = async (call: Call) => {
  const headers = { 'idempotency-key': 'k' }
  await call('POST', '/payment_intents', { body: hosted(), headers })
  return call('POST', '/payment_intents', { body: hosted({ amount: '7' }), headers })
}

describe('errors.body = flat', () => {
  const server = contractServer({
    'errors.body': 'flat',
    'auth.failure_status': '403',
    'errors.unknown_method': 'validation_failed',
    'errors.amount_limits': 'payment_configuration_unavailable',
    'errors.idempotency_conflict': '422',
    'receipt.file_faults': '413/415',
  })
  let account: Account
  beforeAll(async () => {
    account = await openAccount(server())
  })
  const create = (body: unknown) => account.call('POST', '/payment_intents', { body })
  const expectFlat = (answer: Answer, status: number, code: string) =>
    expect({ status: answer.status, code: answer.body?.code }, answer.text).toEqual({ status, code })

  test('an error is one object of four members', async () => {
    const answer = await create(hosted({ amount: '0' }))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      code: 'validation_failed',
      message: expect.stringMatching(/\S/),
      details: [{ field: 'amount', message: expect.stringMatching(/\S/) }],
      request_id: answer.headers.get('request-id'),
    })
  })

  test.each<[number, string, (call: Call) => Promise<Answer>]>([
    [400, 'validation_failed', call => call('POST', '/payment_intents', json('{'))],
    [404, 'not_found', call => call('GET', '/payment_intents/pi_none')],
    [404, 'not_found', call => call('GET', '/nowhere')],
    [405, 'method_not_allowed', call => call('DELETE', '/payment_intents')],
    [413, 'payload_too_large', call => call('POST', '/payment_intents', json(' '.repeat(9e6)))],
    [415, 'unsupported_media_type', call => call('POST', '/payment_intents/pi_none/cancel-pending')],
  ])('%i %s has that shape too', async (status, code, ask) => {
    const answer = await ask(account.call)
    expectFlat(answer, status, code)
    expect(answer.body.request_id).toBe(answer.headers.get('request-id'))
  })

  test('auth.failure_status = 403', async () => {
    const answer = await server().call('GET', '/payment_intents/pi_none', { anonymous: true })
    expectFlat(answer, 403, 'unauthorized')
  })

  test('errors.unknown_method = validation_failed', async () => {
    const answer = await create(paying('no_such_method'))
    expectFlat(answer, 400, 'validation_failed')
    expect(answer.body.details[0].field).toBe('payment_method')
    expectFlat(
      await create(paying('probe_banks', { payment_method_options: { bank: 'omega' } })),
      422,
      'payment_configuration_unavailable',
    )
  })

  test('errors.amount_limits = payment_configuration_unavailable', async () => {
    for (const amount of ['499', '901']) {
      expectFlat(await create(paying('probe_narrow', { amount })), 422, 'payment_configuration_unavailable')
    }
    expectFlat(await create(paying('probe_sick')), 422, 'routing_unavailable')
  })

  test('errors.idempotency_conflict = 422', async () => {
    expectFlat(await conflictOf(account.call), 422, 'idempotency_conflict')
  })

  test('receipt.file_faults = 413/415', async () => {
    const { id } = await account.pay('probe_receipt')
    const faultOf = async (content: Buffer) => uploadParts(account, id, [imageFile(content)])
    expectFlat(await faultOf(padded(png(), MOST_BYTES + 1)), 413, 'payload_too_large')
    expectFlat(await faultOf(Buffer.from('text')), 415, 'unsupported_media_type')
    expectFlat(await uploadParts(account, id, []), 400, 'validation_failed')
    expect((await faultOf(padded(jpeg(), MOST_BYTES))).status).toBe(200)
  })
})

describe('errors.body = problem', () => {
  const server = contractServer({
    'errors.body': 'problem',
    'errors.idempotency_conflict': 400,
    'auth.failure_status': 403,
  })

  test('an error is an RFC 9457 problem', async () => {
    const account = await openAccount(server())
    for (const [answer, status, code] of await errorsOf(server(), account)) {
      expect(answer.status).toBe(status)
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json\b/)
      expect(answer.body.status).toBe(status)
      expect(answer.body.title).toMatch(/\S/)
      expect(answer.text).toContain(code)
    }
  })

  test('a success answer does not change', async () => {
    const made = await (await openAccount(server())).call('POST', '/payment_intents', { body: hosted() })
    expect(made.headers.get('content-type')).toMatch(/^application\/json\b/)
  })
})

async function errorsOf(server: Server, account: Account): Promise<[Answer, number, string][]> {
  return [
    [await account.call('POST', '/payment_intents', { body: {} }), 400, 'validation_failed'],
    [await account.call('GET', '/payment_intents/pi_none'), 404, 'not_found'],
    [await account.call('GET', '/nowhere'), 404, 'not_found'],
    [await account.call('DELETE', '/payment_intents'), 405, 'method_not_allowed'],
    [await conflictOf(account.call), 400, 'idempotency_conflict'],
    [await server.call('GET', '/payment_intents/pi_none', { anonymous: true }), 403, 'unauthorized'],
  ]
}

function json(raw: string) {
  return { raw, headers: { 'content-type': 'application/json' } }
}
