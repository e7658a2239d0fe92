import { beforeAll, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { type Conformance, conformanceOf } from '../../support/http/openapi.ts'
import { hosted } from '../../support/payments/requests.ts'

/**
 * `account.call` holds each request and answer of the whole suite against the OpenAPI document that the server
 * gives out. Here: that it would notice.
 */

const server = sharedServer()
let account: Account
let conformance: Conformance
let made: Answer

beforeAll(async () => {
  account = await openAccount(server())
  conformance = await conformanceOf(server())
  made = await account.call('POST', '/payment_intents', { body: hosted() })
})

const check = (changes: Partial<Answer>, body: unknown = hosted()) =>
  conformance.check('POST', '/payment_intents', { body }, { ...made, ...changes })

test('a real answer conforms', () => {
  expect(() => check({})).not.toThrow()
})

test.each([
  ['a field less', { currency: undefined }],
  ['a field more', { provider: 'x' }],
  ['a field of another type', { amount: 15000 }],
  ['an unknown status', { status: 'cancelled' }],
  ['an unknown action', { next_action: { type: 'post_a_form', url: 'https://x.example/' } }],
  ['a time without milliseconds', { created_at: '2030-01-01T00:00:00Z' }],
])('an intent with %s does not conform', (_, changes) => {
  const body = JSON.parse(JSON.stringify({ ...made.body, ...changes }))
  expect(() => check({ body })).toThrow()
})

test('an undocumented status, media type or error does not conform', () => {
  expect(() => check({ status: 200 })).toThrow()
  expect(() => check({ headers: new Headers({ 'content-type': 'text/html' }) })).toThrow()
  expect(() => check({ status: 400, body: { error: { code: 'oops', message: 'x' } } })).toThrow()
})

test('an accepted request that the document forbids does not conform', () => {
  expect(() => check({}, hosted({ amount: 15000 }))).toThrow()
  expect(() => check({}, hosted({ customer: undefined }))).toThrow()
})
