import { describe, expect, test } from 'vitest'
import { ApiError, NotJsonError, UnexpectedAnswerError } from '../../src/client/index.ts'
import { clientFor, PAYMENT, refusal } from '../support/client/client.ts'
import { json, nestedError, serve } from '../support/client/server.ts'

const facts = {
  code: 'validation_failed',
  message: 'amount is required',
  details: [{ field: 'amount', message: 'is required' }],
  request_id: 'req_7',
}

async function answering(body: string, status = 200, headers: Record<string, string> = {}) {
  const server = await serve(response => response.writeHead(status, headers).end(body))
  return clientFor(server.url, { retries: 0 })
}

describe('a success', () => {
  test.each([200, 201, 202, 203, 299])('may have any status 2xx, such as %i', async status => {
    const client = await answering(JSON.stringify(PAYMENT), status)
    expect((await client.payments.get('pi_1')).id).toBe('pi_1')
  })

  test('returns the body when awaited, and the whole answer on request', async () => {
    const text = '{ "id":"pi_1", "object":"payment_intent",  "status":"on_the_moon", "new_field": [1.50] }\n'
    const client = await answering(text, 202, { 'Request-Id': 'req_2', 'X-Odd': 'a' })
    const call = client.payments.get('pi_1')
    expect(await call).toEqual({
      id: 'pi_1',
      object: 'payment_intent',
      status: 'on_the_moon',
      new_field: [1.5],
    })
    const answer = await call.answer()
    expect(answer).toMatchObject({ status: 202, text, requestId: 'req_2', attempts: 1 })
    expect(answer.headers['x-odd']).toBe('a')
  })

  test('of request() may have no body', async () => {
    const client = await answering('', 200)
    expect(await client.request('GET', '/nothing').answer()).toMatchObject({ status: 200, text: '' })
  })
})

describe('JSON of another kind', () => {
  test.each([
    ['no payment', { hello: 'world' }, ['id', 'object', 'status']],
    ['a list', [PAYMENT], ['']],
    ['another payment', { ...PAYMENT, id: 'pi_2' }, ['id']],
  ])('is rejected even with status 200: %s', async (_, body, fields) => {
    const client = await answering(JSON.stringify(body))
    const error = await refusal(client.payments.get('pi_1'), UnexpectedAnswerError)
    expect(error).toMatchObject({ name: 'UnexpectedAnswerError', status: 200 })
    expect(error.problems.map(({ field }) => field)).toEqual(fields)
    expect(error.answer.body).toEqual(body)
    expect(error.message).toContain('GET /payment_intents/pi_1')
  })

  test('is accepted by request()', async () => {
    const client = await answering('{"hello":"world"}')
    expect(await client.request('GET', '/payment_intents/pi_1')).toEqual({ hello: 'world' })
  })

  test('includes every difference from the contract for a strict client', async () => {
    const server = await serve(response => json(response, PAYMENT))
    const strict = clientFor(server.url, { strict: true })
    for (const call of [strict.payments.get('pi_1'), strict.request('GET', '/payment_intents/pi_1')]) {
      const { problems } = await refusal(call, UnexpectedAnswerError)
      expect(problems).toContainEqual({ field: 'amount', message: 'is required' })
    }
    expect(await strict.request('GET', '/elsewhere')).toEqual(PAYMENT)
  })
})

describe('an error', () => {
  test.each([
    ['nested', { error: facts }],
    ['flat', facts],
    ['a problem', { type: 'about:blank', title: 'Bad', status: 400, detail: facts.message, ...facts }],
    [
      'a problem with only what RFC 9457 has',
      { title: 'Bad', detail: facts.message, code: facts.code, errors: facts.details, request_id: 'req_7' },
    ],
  ])('whose body is %s is read', async (_, body) => {
    const client = await answering(JSON.stringify(body), 400, { 'content-type': 'application/problem+json' })
    const error = await refusal(client.payments.get('pi_1'), ApiError)
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 400,
      code: 'validation_failed',
      message: 'amount is required',
      details: facts.details,
      requestId: 'req_7',
    })
    expect(error.answer.body).toEqual(body)
  })

  test.each([
    [{ error: { code: 'moon_is_full', message: 'Come back' } }, 'moon_is_full', 'Come back'],
    [{ error: 'invalid_grant' }, 'invalid_grant', 'invalid_grant'],
    [{ title: 'Teapot' }, 'unknown', 'Teapot'],
    [{}, 'unknown', 'the server answered 418'],
    [[], 'unknown', 'the server answered 418'],
    [{ error: { code: 7, details: ['x', null, {}] } }, 'unknown', 'the server answered 418'],
  ])('of unknown form, %j, is still an API error', async (body, code, message) => {
    const client = await answering(JSON.stringify(body), 418)
    expect(await refusal(client.payments.get('pi_1'), ApiError)).toMatchObject({ code, message, details: [] })
  })

  test('takes the request id from a header when the body has none', async () => {
    const client = await answering('{"code":"x"}', 400, { 'X-Request-Id': 'abc' })
    expect((await refusal(client.payments.get('pi_1'), ApiError)).requestId).toBe('abc')
  })

  test('is thrown by request() too, with its answer', async () => {
    const server = await serve(response => json(response, nestedError('not_found'), 404))
    const error = await refusal(clientFor(server.url).request('GET', '/x'), ApiError)
    expect(error.answer.text).toBe(JSON.stringify(nestedError('not_found')))
  })
})

describe('an answer that is not JSON of this API', () => {
  const page = '<!doctype html>\n<title>\u001b[31mGateway</title>'
  test.each([
    ['a page', page, 200],
    ['a page with an error status', page, 404],
    ['nothing', '', 200],
    ['nothing with an error status', '', 401],
    ['half of an object', '{"id":"pi_', 200],
    ['a mere text', '"ok"', 200],
    ['null', 'null', 200],
  ])('is reported as such: %s', async (_, body, status) => {
    const client = await answering(body, status, { 'content-type': 'text/html' })
    const error = await refusal(client.payments.get('pi_1'), NotJsonError)
    expect(error).toMatchObject({ name: 'NotJsonError', status })
    expect(error.message).toContain(String(status))
    expect(error.answer.text).toBe(body)
  })

  test('shows its first bytes, without control characters', async () => {
    const client = await answering(page + 'x'.repeat(500))
    const { firstBytes, message } = await refusal(client.payments.get('pi_1'), NotJsonError)
    expect(firstBytes).toMatch(/^<!doctype html> <title> \[31mGateway/)
    expect(firstBytes.length).toBeLessThanOrEqual(200)
    expect(message).toContain(firstBytes)
  })

  test('says where a redirect leads, and does not follow it', async () => {
    const client = await answering('', 301, { location: 'https://api.example/v1' })
    const error = await refusal(client.payments.get('pi_1'), NotJsonError)
    expect(error.message).toContain('https://api.example/v1')
  })
})
