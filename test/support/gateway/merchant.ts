import { expect } from 'vitest'
import { conformanceOf } from '../http/openapi.ts'
import { plainCatalogue } from './plain-catalogue.ts'
import type { AccountKeys, Answer, Call, Server } from './server.ts'

// The harness reads whatever came back, and so do these tests.
export type Json = Answer['body']

/** One merchant in one environment, with the merchant API and the control surface. */
export interface Account {
  id: string
  merchant: string
  environment: 'test' | 'live'
  keys: AccountKeys
  call: Call
  /** Paths are relative to `/accounts/{id}`. */
  control: Call
  now: () => Promise<string>
  /** Moves the virtual clock; returns when the account is quiet. */
  pass: (duration: string) => Promise<Json>
}

interface Merchant {
  id: string
  test: Account
  live: Account
}

export function accountOf(server: Server, keys: AccountKeys): Account {
  const control: Call = (method, path, options) =>
    server.control(method, `/accounts/${keys.id}${path}`, options)
  return {
    id: keys.id,
    merchant: keys.merchant,
    environment: keys.environment,
    keys,
    call: conforming(server, server.as(keys)),
    control,
    now: async () => (await succeeded(control('GET', '/clock'))).now,
    pass: duration => succeeded(control('POST', '/clock/advance', { body: { by: duration } })),
  }
}

/** Every call and answer is checked against the server's own OpenAPI document. */
function conforming(server: Server, call: Call): Call {
  return async (method, path, options = {}) => {
    const answer = await call(method, path, options)
    const conformance = await conformanceOf(server)
    conformance.check(method, path, options, answer)
    return answer
  }
}

/** A new merchant with a virtual clock and the plain catalogue. */
export async function openMerchant(
  server: Server,
  settings: Record<string, unknown> = {},
): Promise<Merchant> {
  const made = await server.merchant({
    clock: { mode: 'virtual' },
    catalogue: plainCatalogue(),
    ...settings,
  })
  return { id: made.id, test: accountOf(server, made.test), live: accountOf(server, made.live) }
}

/** The test account of a new merchant. */
export async function openAccount(server: Server, settings: Record<string, unknown> = {}): Promise<Account> {
  return (await openMerchant(server, settings)).test
}

/** The body of an answer that must be a success. */
export async function succeeded(pending: Promise<Answer> | Answer): Promise<Json> {
  const answer = await pending
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(200)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

/** The rows of a control surface listing. */
export async function rows(pending: Promise<Answer>): Promise<Json[]> {
  const body = await succeeded(pending)
  expect(body).toMatchObject({ data: expect.any(Array) })
  return body.data
}
