import { expect } from 'vitest'
import { expectCleanAnswer } from '../http/answers.ts'
import { conformanceOf } from '../http/openapi.ts'
import { hosted, paying } from '../payments/requests.ts'
import { probeCatalogue } from './probe-catalogue.ts'
import type { AccountKeys, Answer, Call, Server } from './server.ts'

/** A test reads whatever came back. */
export type Json = Answer['body']

/** One merchant in one environment, as a test drives it. */
export interface Account {
  id: string
  merchant: string
  environment: 'test' | 'live'
  keys: AccountKeys
  /** The merchant API. Each answer is checked against the general rules and the server's own OpenAPI document. */
  call: Call
  /** The control surface; paths are relative to `/accounts/{id}`. */
  control: Call
  /** Creates a payment in merchant mode with a method; fails the test unless it gets 201. */
  pay: (method: string, changes?: Record<string, unknown>) => Promise<Json>
  /** Creates a payment in hosted mode; fails the test unless it gets 201. */
  payHosted: (changes?: Record<string, unknown>) => Promise<Json>
  read: (id: string) => Promise<Json>
  cancel: (id: string, headers?: Record<string, string>) => Promise<Answer>
  trigger: (id: string, trigger: string, body?: Record<string, unknown>) => Promise<Answer>
  /** Moves the clock by a duration; returns when the account is quiet. */
  advance: (by: string) => Promise<Json>
  advanceTo: (time: string) => Promise<Json>
  /** The time of the account's clock, as the control surface writes it. */
  now: () => Promise<string>
  /** How often the gateway made this call to the provider for a payment. */
  providerCalls: (id: string, call: 'start' | 'cancel' | 'submit_receipt') => Promise<number>
  setHealth: (provider: string, healthy: boolean) => Promise<void>
}

export interface Merchant {
  id: string
  test: Account
  live: Account
}

/** What drives an account of a server. `watched` sees each call of the merchant API, as a scan for leaks does. */
export function accountOf(server: Server, keys: AccountKeys, watched = (call: Call): Call => call): Account {
  const call = watched(conforming(server, server.as(keys)))
  const control: Call = (method, path, options) =>
    server.control(method, `/accounts/${keys.id}${path}`, options)
  const create = (body: unknown) => answered(201, call('POST', '/payment_intents', { body }))
  const advance = (body: unknown) => answered(200, control('POST', '/clock/advance', { body }))

  return {
    id: keys.id,
    merchant: keys.merchant,
    environment: keys.environment,
    keys,
    call,
    control,
    pay: (method, changes) => create(paying(method, changes)),
    payHosted: changes => create(hosted(changes)),
    read: id => answered(200, call('GET', `/payment_intents/${id}`)),
    cancel: (id, headers) =>
      call('POST', `/payment_intents/${id}/cancel-pending`, {
        headers: { 'content-type': 'application/json', ...headers },
      }),
    trigger: (id, trigger, body = {}) => control('POST', `/payments/${id}/${trigger}`, { body }),
    advance: by => advance({ by }),
    advanceTo: to => advance({ to }),
    now: async () => (await answered(200, control('GET', '/clock'))).now,
    providerCalls: async (id, name) => {
      const { data } = await answered(200, control('GET', '/provider-calls'))
      return data.filter(
        (entry: { call: string; payment: string }) => entry.call === name && entry.payment === id,
      ).length
    },
    setHealth: async (provider, healthy) => {
      await answered(200, control('PATCH', `/catalogue/providers/${provider}`, { body: { healthy } }))
    },
  }
}

function conforming(server: Server, call: Call): Call {
  return async (method, path, options = {}) => {
    const answer = expectCleanAnswer(await call(method, path, options))
    const conformance = await conformanceOf(server)
    conformance.check(method, path, options, answer)
    return answer
  }
}

/** A new merchant with a virtual clock and the probe catalogue. */
export async function openMerchant(
  server: Server,
  settings: Record<string, unknown> = {},
): Promise<Merchant> {
  const made = await server.merchant({
    clock: { mode: 'virtual' },
    catalogue: probeCatalogue(),
    ...settings,
  })
  return { id: made.id, test: accountOf(server, made.test), live: accountOf(server, made.live) }
}

/** The test account of a new merchant. */
export async function openAccount(server: Server, settings: Record<string, unknown> = {}): Promise<Account> {
  return (await openMerchant(server, settings)).test
}

/** The body of an answer that must have this status. */
async function answered(status: number, pending: Promise<Answer>): Promise<Json> {
  const answer = await pending
  expect(answer.status, answer.text).toBe(status)
  return answer.body
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
