import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Merchant, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { FORTY_DIGITS, MAIN, probeCatalogue, SPARE } from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectUnroutable } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'
import { hosted, paying } from '../../support/payments/requests.ts'

const server = sharedServer()
let merchant: Merchant
let account: Account

beforeAll(async () => {
  merchant = await openMerchant(server())
  account = merchant.test
})

const create = (body: unknown, asker = account) => asker.call('POST', '/payment_intents', { body })

type Routes = Parameters<NonNullable<Parameters<typeof probeCatalogue>[0]>>[0]

async function changeRoutes(own: Account, change: (route: Routes[number]) => Routes[number]) {
  const put = await own.control('PUT', '/catalogue', {
    body: probeCatalogue(routes => routes.map(change)),
  })
  expect(put.status, put.text).toBe(200)
}

describe('a request that cannot be routed', () => {
  test.each(['no_such_method', 'PROBE_TRANSFER', 'probe_transfer ', '__proto__', 'constructor', 'toString'])(
    'the method %s is not in the catalogue',
    async method => {
      expectError(await create(paying(method)), 422, 'payment_configuration_unavailable')
      expectError(await create(hosted({ payment_method: method })), 422, 'payment_configuration_unavailable')
    },
  )

  test.each([
    ['providers that are all unhealthy', 'probe_sick', {}],
    ['one below the least amount', 'probe_narrow', { amount: '499' }],
    ['one above the greatest amount', 'probe_narrow', { amount: '901' }],
    ['an amount that compares the other way as text', 'probe_narrow', { amount: '5000' }],
    ['one above a limit of forty digits', 'probe_vast', { amount: `${FORTY_DIGITS.slice(0, -1)}1` }],
    ['an amount of four hundred digits', 'probe_vast', { amount: '9'.repeat(400) }],
  ])('%s has no route', async (_, method, changes) => {
    expectError(await create(paying(method, changes)), 422, 'routing_unavailable')
  })

  test.each([
    ['another country', 'probe_transfer', { country: 'VN' }],
    ['another currency', 'probe_transfer', { currency: 'USD' }],
    ['hosted mode for a method of merchant mode', 'probe_merchant_only', { checkout_mode: 'hosted' }],
    ['merchant mode for a method of hosted mode', 'probe_hosted_only', {}],
    ['a method of the live environment', 'probe_live_only', {}],
  ])('%s is not supported by any route', async (_, method, changes) => {
    expectUnroutable(await create(paying(method, changes)))
  })

  test.each(['500', '501', '899', '900'])('%s is within 500 to 900', async amount => {
    expect((await account.pay('probe_narrow', { amount })).amount).toBe(amount)
  })

  test('a method of the test environment has no route with a live key', async () => {
    expectUnroutable(await create(paying('probe_test_only'), merchant.live))
    expect((await merchant.live.pay('probe_live_only')).environment).toBe('live')
    expect((await account.pay('probe_test_only')).environment).toBe('test')
  })
})

describe('routes are tried in order', () => {
  test('the first healthy eligible route is used', async () => {
    const own = await openAccount(server())
    const typeNow = async () => (await own.pay('probe_twice')).next_action.type
    expect(await typeNow()).toBe('display_bank_transfer_instructions')
    await own.setHealth(MAIN, false)
    expect(await typeNow()).toBe('display_qr_code')
    await own.setHealth(SPARE, false)
    expectError(await create(paying('probe_twice'), own), 422, 'routing_unavailable')
    await own.setHealth(MAIN, true)
    expect(await typeNow()).toBe('display_bank_transfer_instructions')
  })

  test('the health of a provider belongs to one account', async () => {
    const own = await openMerchant(server())
    await own.test.setHealth(MAIN, false)
    expectError(await create(paying('probe_transfer'), own.test), 422, 'routing_unavailable')
    await own.live.pay('probe_transfer')
    await account.pay('probe_transfer')
  })
})

describe('a route is frozen into its intent', () => {
  test('when its provider becomes unhealthy, the intent is unchanged and can be cancelled', async () => {
    const own = await openAccount(server())
    const made = await own.pay('probe_transfer')
    await own.setHealth(MAIN, false)
    expect(await own.read(made.id)).toEqual(made)
    expect((await own.cancel(made.id)).status).toBe(202)
    await own.advance('5s')
    expect((await own.read(made.id)).failure_code).toBe('payment_cancelled')
  })

  test('when the catalogue changes, cancel support stays as it was at creation', async () => {
    const own = await openAccount(server())
    const cancellable = await own.pay('probe_transfer')
    const fixed = await own.pay('probe_fixed')
    await changeRoutes(own, route => ({ ...route, cancel_pending: route.cancel_pending === false }))
    expect((await own.cancel(cancellable.id)).status).toBe(202)
    expectError(await own.cancel(fixed.id), 422, 'provider_capability_unsupported')
    expectError(
      await own.cancel((await own.pay('probe_transfer')).id),
      422,
      'provider_capability_unsupported',
    )
    expect((await own.cancel((await own.pay('probe_fixed')).id)).status).toBe(202)
  })

  test('when the catalogue changes, receipt support stays as it was at creation', async () => {
    const own = await openAccount(server())
    const accepting = await own.pay('probe_receipt')
    const refusing = await own.pay('probe_transfer')
    await changeRoutes(own, route => ({ ...route, receipt: route.receipt ? 'none' : 'required' }))
    expect(await own.read(accepting.id)).toEqual(accepting)
    expect(await own.read(refusing.id)).toEqual(refusing)
    expect((await upload(own, accepting.id, png())).body.receipt).toEqual({ status: 'processing' })
    expectError(await upload(own, refusing.id, png()), 422, 'provider_capability_unsupported')
    const [plain, needy] = [await own.pay('probe_receipt'), await own.pay('probe_transfer')]
    expectError(await upload(own, plain.id, png()), 422, 'provider_capability_unsupported')
    expect((await upload(own, needy.id, png())).body.receipt).toEqual({ status: 'processing' })
  })
})

describe('the Team policy', () => {
  test('denies a mode instead of changing it', async () => {
    const hostedOnly = await openAccount(server(), { checkout_modes: ['hosted'] })
    expectError(await create(paying('probe_transfer'), hostedOnly), 403, 'checkout_mode_not_allowed')
    expect((await hostedOnly.payHosted()).checkout_mode).toBe('hosted')

    const merchantOnly = await openAccount(server(), { checkout_modes: ['merchant'] })
    expectError(await create(hosted(), merchantOnly), 403, 'checkout_mode_not_allowed')
    expectError(
      await create(hosted({ checkout_mode: undefined }), merchantOnly),
      403,
      'checkout_mode_not_allowed',
    )
    expect((await merchantOnly.pay('probe_transfer')).checkout_mode).toBe('merchant')
  })

  test('does not affect an existing intent', async () => {
    const own = await openMerchant(server())
    const made = await own.test.pay('probe_transfer')
    await server().control('PATCH', `/merchants/${own.id}`, { body: { checkout_modes: ['hosted'] } })
    expect(await own.test.read(made.id)).toEqual(made)
    expect((await own.test.cancel(made.id)).status).toBe(202)
  })
})
