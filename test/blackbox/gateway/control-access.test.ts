import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import type { CallOptions } from '../../support/gateway/server.ts'
import { fileServer, ownServer } from '../../support/gateway/shared-server.ts'
import { claimedPort } from '../../support/http/claimed-port.ts'
import { expectRefusal, notFound, unauthorized } from '../../support/http/refusals.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { addPayout } from '../../support/payments/payouts.ts'

const server = fileServer({ args: ['--control-token', 'a-token-of-our-own'] })

let account: Account
let calls: [method: string, path: string][]

beforeAll(async () => {
  account = await openAccount(server())
  const payment = await createPayment(account)
  const payout = await addPayout(account)
  const own = `/accounts/${account.id}`
  calls = [
    ['GET', '/metrics'],
    ['GET', '/openapi.json'],
    ['GET', '/contract'],
    ['POST', '/merchants'],
    ['GET', '/merchants'],
    ['GET', `/merchants/${account.merchant}`],
    ['PATCH', `/merchants/${account.merchant}`],
    ['DELETE', `/merchants/${account.merchant}`],
    ['POST', `${own}/keys`],
    ['DELETE', `${own}/keys/${account.keys.public_key}`],
    ['GET', `${own}/clock`],
    ['PUT', `${own}/clock`],
    ['POST', `${own}/clock/advance`],
    ['GET', `${own}/catalogue`],
    ['PUT', `${own}/catalogue`],
    ['PATCH', `${own}/catalogue/providers/plain-one`],
    ['POST', `${own}/payments/${payment.id}/succeed`],
    ['GET', `${own}/payments`],
    ['GET', `${own}/payouts`],
    ['POST', `${own}/payouts`],
    ['POST', `${own}/payouts/${payout.id}/approve`],
    ['POST', `${own}/assets`],
    ['GET', `${own}/history/${payment.id}`],
    ['GET', `${own}/provider-calls`],
    ['POST', `${own}/webhook-endpoints`],
    ['GET', `${own}/webhook-endpoints`],
    ['DELETE', `${own}/webhook-endpoints/we_1`],
    ['GET', `${own}/events`],
    ['GET', `${own}/webhook-deliveries`],
    ['POST', `${own}/webhook-deliveries/whd_1/redeliver`],
    ['GET', `${own}/requests`],
    ['GET', `${own}/stream`],
    ['GET', `${own}/export`],
    ['PUT', `${own}/import`],
    ['POST', `${own}/reset`],
  ]
})

describe('the control token', () => {
  test('is the one given with --control-token', () => {
    expect(server().controlToken).toBe('a-token-of-our-own')
  })

  const basic = () => Buffer.from(`${account.keys.public_key}:${account.keys.secret_key}`).toString('base64')
  const wrong: [string, () => CallOptions][] = [
    ['no token', () => ({ anonymous: true })],
    ['another token', () => ({ headers: { authorization: 'Bearer another-token' } })],
    ['the token cut short', () => ({ headers: { authorization: 'Bearer a-token-of-our-ow' } })],
    ['the token and more', () => ({ headers: { authorization: 'Bearer a-token-of-our-ownn' } })],
    ['an empty token', () => ({ headers: { authorization: 'Bearer ' } })],
    ['the token in another scheme', () => ({ headers: { authorization: 'Basic a-token-of-our-own' } })],
    ['a merchant’s own keys', () => ({ headers: { authorization: `Basic ${basic()}` } })],
  ]

  test.each(wrong)('every call except health and ready refuses %s', async (_, credentials) => {
    for (const [method, path] of calls) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
      const answer = await server().control(method, path, { ...body, ...credentials() })
      expect(answer.status, `${method} ${path}`).toBe(401)
      expectRefusal(answer, unauthorized)
    }
  })

  test('refused calls change nothing', async () => {
    expect((await server().control('GET', `/merchants/${account.merchant}`)).status).toBe(200)
    expect((await account.control('GET', '/payments')).body.data).toMatchObject([{ status: 'pending' }])
    expect((await account.control('GET', '/payouts')).body.data).toMatchObject([
      { status: 'requires_approval' },
    ])
  })

  test('an unknown path without the token is 401, like a known one', async () => {
    expectRefusal(await server().control('GET', '/no-such-call', { anonymous: true }), unauthorized)
  })

  test.each(['/health', '/ready'])('GET %s needs no token', async path => {
    expect((await server().control('GET', path, { anonymous: true })).status).toBe(200)
  })

  test('does not authenticate on the merchant API', async () => {
    const { id } = await createPayment(account)
    const answer = await account.call('GET', `/payment_intents/${id}`, {
      headers: { authorization: `Bearer ${server().controlToken}` },
    })
    expectRefusal(answer, unauthorized)
    expect((await account.read(id)).id).toBe(id)
  })
})

describe('unknown records and paths', () => {
  const wanted: [string, string][] = [
    ['GET', '/accounts/nobody.test/clock'],
    ['GET', '/accounts/default/clock'],
    ['GET', '/accounts/default.staging/payments'],
    ['GET', '/accounts/..%2f..%2fetc/payments'],
    ['GET', '/accounts/__proto__/payments'],
    ['GET', '/accounts/default.test/no-such-call'],
    ['POST', '/accounts/nobody.test/reset'],
    ['GET', '/merchants/nobody'],
    ['PATCH', '/merchants/nobody'],
    ['DELETE', '/merchants/nobody'],
    ['GET', '/no-such-call'],
    ['GET', '/accounts/default.test/history/pi_000000000000000000000000'],
    ['POST', '/accounts/default.test/payments/pi_000000000000000000000000/succeed'],
    ['DELETE', '/accounts/default.test/webhook-endpoints/none'],
    ['POST', '/accounts/default.test/webhook-deliveries/none/redeliver'],
    ['PATCH', '/accounts/default.test/catalogue/providers/none'],
    ['DELETE', '/accounts/default.test/keys/pk_test_none'],
  ]
  test.each(wanted)('%s %s is 404', async (method, path) => {
    const body = path.includes('providers') ? { healthy: true } : {}
    expectRefusal(
      await server().control(method, path, method === 'GET' || method === 'DELETE' ? {} : { body }),
      notFound,
    )
  })
})

describe('--control-port', () => {
  test('moves the control surface from the merchant port to a port of its own', async () => {
    const own = await ownServer({ args: ['--control-port', String(await claimedPort())] })
    expect(new URL(own.controlUrl).port).not.toBe(new URL(own.url).port)
    expect((await own.control('GET', '/merchants')).status).toBe(200)
    expect((await own.call('GET', '/payout_intents')).status).toBe(200)
    const headers = { authorization: `Bearer ${own.controlToken}` }
    const { pathname } = new URL(own.controlUrl)
    for (const path of [`${pathname}/merchants`, '/_paysim/merchants', '/_paysim/health']) {
      const astray = await fetch(`${own.url}${path}`, { headers })
      expect(astray.status, path).toBeGreaterThanOrEqual(400)
      expect(astray.status, path).toBeLessThan(500)
    }
  })
})
