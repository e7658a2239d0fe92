import { describe, expect, test } from 'vitest'
import { accountOf, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { plainCatalogue } from '../../support/gateway/probe-catalogue.ts'
import type { AccountKeys, Server } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid, notFound, unauthorized } from '../../support/http/refusals.ts'
import { createPayment, hostedBody, paymentBody, postPayment } from '../../support/payments/payments.ts'
import { addPayout, listedIds } from '../../support/payments/payouts.ts'
import { openReceiver, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const make = (body: Record<string, unknown>) => server().control('POST', '/merchants', { body })
const patch = (id: string, body: Record<string, unknown>) =>
  server().control('PATCH', `/merchants/${id}`, { body })

const merchantIds = async (of: Server) => {
  const { data } = await succeeded(of.control('GET', '/merchants'))
  return data.map((merchant: { id: string }) => merchant.id)
}

describe('creating a merchant', () => {
  test('returns its accounts and their keys', async () => {
    const answer = await make({ id: 'shop-1', name: 'Shop One', checkout_modes: ['hosted'] })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ id: 'shop-1', name: 'Shop One', checkout_modes: ['hosted'] })
    const accounts = Object.fromEntries(
      answer.body.accounts.map((each: AccountKeys) => [each.environment, each]),
    )
    for (const environment of ['test', 'live']) {
      expect(accounts[environment]).toMatchObject({
        id: `shop-1.${environment}`,
        public_key: expect.stringMatching(`^pk_${environment}_.`),
        secret_key: expect.stringMatching(`^sk_${environment}_.`),
      })
    }
    expect(answer.body.accounts).toHaveLength(2)
  })

  test('with an empty body gives it a unique id and both checkout modes', async () => {
    const [one, other] = [await make({}), await make({})]
    expect(one.status).toBe(201)
    expect(one.body.id).not.toBe(other.body.id)
    expect([...one.body.checkout_modes].sort()).toEqual(['hosted', 'merchant'])
  })

  test('registers the given webhook endpoints, by environment and event', async () => {
    const receiver = await openReceiver()
    const merchant = await openMerchant(server(), {
      webhooks: [{ url: `${receiver.url}/live`, environment: 'live', events: ['payment.created'] }],
    })
    await createPayment(merchant.test)
    await createPayment(merchant.live)
    await settle(merchant.test)
    await settle(merchant.live)
    expect(receiver.deliveries.map(({ event }) => [event.type, event.environment])).toEqual([
      ['payment.created', 'live'],
    ])
  })

  test('returns the endpoints that it made, with the secrets that sign', async () => {
    const receiver = await openReceiver()
    const here = { url: `${receiver.url}/here`, events: ['payment.created'] }
    const live = { url: `${receiver.url}/live`, environment: 'live' }
    const { accounts } = await succeeded(make({ webhooks: [here, live] }))
    const made = Object.fromEntries(
      accounts.map((each: AccountKeys & { webhook_endpoints: unknown }) => [each.id, each.webhook_endpoints]),
    )
    const listed = async (account: string) =>
      (await succeeded(server().control('GET', `/accounts/${account}/webhook-endpoints`))).data
    for (const account of Object.keys(made)) expect(made[account]).toEqual(await listed(account))
    expect(
      accounts.map((each: { webhook_endpoints: readonly { url: string }[] }) =>
        each.webhook_endpoints.map(({ url }) => url),
      ),
    ).toEqual([[here.url], [here.url, live.url]])
    const [only] = (await succeeded(make({ webhooks: [live] }))).accounts
    expect(only).not.toHaveProperty('webhook_endpoints')
  })

  test('refuses an id that is taken, and does not change its owner', async () => {
    const first = await make({ id: 'taken', name: 'First' })
    const second = await make({ id: 'taken', name: 'Second' })
    expect(second.status).toBeGreaterThanOrEqual(400)
    expect(second.status).toBeLessThan(500)
    expect(await succeeded(server().control('GET', '/merchants/taken'))).toMatchObject({ name: 'First' })
    expect((await server().as(first.body.accounts[0])('GET', '/payout_intents')).status).toBe(200)
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['an id that climbs out', { id: '../../escape' }, 'id'],
    ['an id with a slash', { id: 'a/b' }, 'id'],
    ['an empty id', { id: '' }, 'id'],
    ['an id of two dots', { id: '..' }, 'id'],
    ['an id with a NUL', { id: 'a\0b' }, 'id'],
    ['an id that is a number', { id: 7 }, 'id'],
    ['an id of 10,000 characters', { id: 'a'.repeat(10_000) }, 'id'],
    ['an unknown checkout mode', { checkout_modes: ['embedded'] }, 'checkout_modes'],
    ['checkout modes that are not a list', { checkout_modes: 'hosted' }, 'checkout_modes'],
    ['an unknown clock', { clock: { mode: 'lunar' } }, 'clock'],
    ['a clock at no time', { clock: { mode: 'virtual', now: '2026-02-30T00:00:00Z' } }, 'clock'],
  ])('refuses %s and creates nothing', async (_, body, field) => {
    const before = await merchantIds(server())
    const answer = await make(body)
    expectRefusal(answer, invalid())
    const named = answer.body.error.details.map((detail: { field: string }) => detail.field)
    expect(
      named.some((name: string) => name.startsWith(field)),
      answer.text,
    ).toBe(true)
    expect(await merchantIds(server())).toEqual(before)
  })

  test('refuses an invalid catalogue and creates nothing', async () => {
    const before = await merchantIds(server())
    expectRefusal(await make({ catalogue: { ...plainCatalogue(), providers: [] } }), invalid())
    expect(await merchantIds(server())).toEqual(before)
  })
})

describe('reading merchants', () => {
  test('returns one by id and lists it beside the default merchant', async () => {
    const { id } = await openMerchant(server(), { name: 'To be read' })
    expect(await succeeded(server().control('GET', `/merchants/${id}`))).toMatchObject({
      id,
      name: 'To be read',
    })
    expect(await merchantIds(server())).toEqual(expect.arrayContaining(['default', id]))
  })
})

describe('changing a merchant', () => {
  test('a new checkout policy applies from the next request, in both environments', async () => {
    const merchant = await openMerchant(server())
    const attempt = async () => {
      const answers = []
      for (const account of [merchant.test, merchant.live]) {
        answers.push(await postPayment(account, paymentBody()), await postPayment(account, hostedBody()))
      }
      return answers.map(({ status, body }) => body.error?.code ?? status)
    }
    const denied = 'checkout_mode_not_allowed'
    expect(await attempt()).toEqual([201, 201, 201, 201])
    expect((await patch(merchant.id, { checkout_modes: ['hosted'] })).status).toBe(200)
    expect(await attempt()).toEqual([denied, 201, denied, 201])
    await succeeded(patch(merchant.id, { checkout_modes: ['merchant'] }))
    expect(await attempt()).toEqual([201, denied, 201, denied])
    await succeeded(patch(merchant.id, { checkout_modes: ['hosted', 'merchant'] }))
    expect(await attempt()).toEqual([201, 201, 201, 201])
  })

  test('a new name leaves the checkout modes unchanged', async () => {
    const { id } = await openMerchant(server(), { checkout_modes: ['hosted'] })
    await succeeded(patch(id, { name: 'Renamed' }))
    expect(await succeeded(server().control('GET', `/merchants/${id}`))).toMatchObject({
      name: 'Renamed',
      checkout_modes: ['hosted'],
    })
  })

  test('a bad change is refused and changes nothing', async () => {
    const { id } = await openMerchant(server(), { name: 'Kept' })
    expectRefusal(await patch(id, { name: 'Lost', checkout_modes: ['embedded'] }), invalid())
    expect(await succeeded(server().control('GET', `/merchants/${id}`))).toMatchObject({ name: 'Kept' })
  })
})

describe('removing a merchant', () => {
  test('removes its records and keys, but no others', async () => {
    const [gone, kept] = [await openMerchant(server()), await openMerchant(server())]
    const payment = await createPayment(gone.test)
    const payout = await addPayout(kept.test)
    expect([200, 204]).toContain((await server().control('DELETE', `/merchants/${gone.id}`)).status)

    for (const account of [gone.test, gone.live]) {
      expectRefusal(await account.call('GET', `/payment_intents/${payment.id}`), unauthorized)
      expectRefusal(await account.control('GET', '/payments'), notFound)
    }
    expectRefusal(await server().control('GET', `/merchants/${gone.id}`), notFound)
    expectRefusal(await server().control('DELETE', `/merchants/${gone.id}`), notFound)
    expect(await merchantIds(server())).not.toContain(gone.id)
    expect(await listedIds(kept.test)).toEqual([payout.id])
  })

  test('frees its id for a new, empty merchant', async () => {
    const first = await openMerchant(server(), { id: 'phoenix' })
    const payment = await createPayment(first.test)
    await succeeded(server().control('DELETE', '/merchants/phoenix'))
    const second = await openMerchant(server(), { id: 'phoenix' })
    expectRefusal(await second.test.call('GET', `/payment_intents/${payment.id}`), notFound)
    expectRefusal(await first.test.call('GET', `/payment_intents/${payment.id}`), unauthorized)
  })
})

describe('keys', () => {
  test('a second pair works beside the first, on the same records', async () => {
    const { test: account } = await openMerchant(server())
    const payment = await createPayment(account)
    const answer = await account.control('POST', '/keys')
    expect(answer.status).toBe(201)
    const second = accountOf(server(), { ...account.keys, ...answer.body })
    expect(second.keys.public_key).not.toBe(account.keys.public_key)
    expect(second.keys.public_key).toMatch(/^pk_test_./)
    expect(await second.read(payment.id)).toEqual(await account.read(payment.id))
  })

  test('a revoked pair is refused at once, exactly like an unknown one', async () => {
    const { test: account } = await openMerchant(server())
    const second = accountOf(server(), {
      ...account.keys,
      ...(await succeeded(account.control('POST', '/keys'))),
    })
    await succeeded(account.control('DELETE', `/keys/${account.keys.public_key}`))
    const revoked = await account.call('GET', '/payout_intents')
    expectRefusal(revoked, unauthorized)
    const never = await server().as({ public_key: 'pk_test_never', secret_key: 'sk_test_never' })(
      'GET',
      '/payout_intents',
    )
    expect(revoked.body.error.message).toBe(never.body.error.message)
    expect((await second.call('GET', '/payout_intents')).status).toBe(200)
  })

  test('the public key of one pair with the secret key of another is refused', async () => {
    const { test: account, live } = await openMerchant(server())
    const second = await succeeded(account.control('POST', '/keys'))
    const mixed = [
      { public_key: account.keys.public_key, secret_key: second.secret_key },
      { public_key: account.keys.public_key, secret_key: live.keys.secret_key },
    ]
    for (const pair of mixed) expectRefusal(await server().as(pair)('GET', '/payout_intents'), unauthorized)
  })
})
