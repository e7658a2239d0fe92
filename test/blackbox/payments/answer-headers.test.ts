import { beforeAll, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectCleanAnswer } from '../../support/http/answers.ts'
import { discovering, hosted, paying } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account
let restricted: Account
let intent: string

beforeAll(async () => {
  account = await openAccount(server())
  restricted = await openAccount(server(), { checkout_modes: ['hosted'] })
  intent = (await account.pay('probe_transfer')).id
})

const create = (body: unknown, headers: Record<string, string> = {}) =>
  account.call('POST', '/payment_intents', { body, headers })

/** `account.call` checks Request-Id, Cache-Control and secrecy of every answer: here, one of each status. */
const answers: [number, string, () => Promise<Answer>][] = [
  [200, 'a read', () => account.call('GET', `/payment_intents/${intent}`)],
  [200, 'a discovery', () => account.call('GET', discovering())],
  [201, 'a creation', () => create(hosted())],
  [202, 'a cancellation', async () => account.cancel((await account.pay('probe_transfer')).id)],
  [400, 'malformed JSON', () => account.call('POST', '/payment_intents', jsonText('{'))],
  [400, 'an invalid field', () => create({})],
  [401, 'no credentials', async () => expectCleanAnswer(await anonymous())],
  [
    403,
    'a denied mode',
    () => restricted.call('POST', '/payment_intents', { body: paying('probe_transfer') }),
  ],
  [404, 'an unknown record', () => account.call('GET', '/payment_intents/pi_none')],
  [404, 'an unknown path', () => account.call('GET', '/nowhere')],
  [405, 'another method', () => account.call('DELETE', '/payment_intents')],
  [409, 'a key reused', () => conflict()],
  [413, 'a body above the cap', () => account.call('POST', '/payment_intents', jsonText(' '.repeat(9e6)))],
  [415, 'no media type', () => account.call('POST', `/payment_intents/${intent}/cancel-pending`)],
  [422, 'no route', () => create(paying('probe_sick'))],
]

test.each(answers)('%i: the answer to %s has a Request-Id and must not be stored', async (status, _, ask) => {
  const answer = await ask()
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/)
})

function jsonText(raw: string) {
  return { raw, headers: { 'content-type': 'application/json' } }
}

function anonymous() {
  return server().call('GET', '/payment_intents/pi_none', { anonymous: true })
}

async function conflict() {
  await create(hosted(), { 'idempotency-key': 'headers' })
  return create(hosted({ amount: '15001' }), { 'idempotency-key': 'headers' })
}
