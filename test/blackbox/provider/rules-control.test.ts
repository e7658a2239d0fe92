import { describe, expect, test } from 'vitest'
import { openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import {
  addPayout,
  backToDefault,
  decides,
  mark,
  putInFront,
  putRules,
  rulesOf,
  sendRules,
} from '../../support/provider/rules.ts'

const server = sharedServer()

test('GET shows the rules as they were given, in their order', async () => {
  const account = await openAccount(server())
  const given = [
    {
      name: 'receipt fails once, then the money comes',
      match: {
        kind: 'payment',
        method: 'probe_receipt',
        amount: { gte: '100000' },
        merchant_reference: 'order-*',
      },
      not: { checkout_mode: 'hosted' },
      times: 1,
      action: { after: '0s', expires_after: '15m' },
      receipt: [
        { after: '5s', verdict: 'reject', message: 'Amount is not legible' },
        { after: '5s', verdict: 'accept' },
      ],
      cancel: { after: '10s', outcome: 'cancelled' },
      outcome: { after: '30s', status: 'succeeded' },
    },
    {
      match: { kind: 'payout' },
      approval: { after: '1h' },
      outcome: { after: '2d', status: 'failed', code: 'account_closed', message: 'The account is closed' },
    },
    { outcome: 'manual', expiry: '72h' },
  ]
  await putRules(account, ...given)
  expect(await rulesOf(account)).toEqual(given)
})

test('PUT replaces all rules', async () => {
  const account = await openAccount(server())
  await putRules(account, mark('old'))
  await putRules(account, mark('new', { merchant_reference: 'new-*' }))
  expect(await rulesOf(account)).toEqual([mark('new', { merchant_reference: 'new-*' })])
  expect(await decides(account, { merchant_reference: 'new-1' })).toBe('new')
  expect(await decides(account, { merchant_reference: 'old-1' })).toBeNull()
})

test('PUT with no rules removes all, even the default ones', async () => {
  const account = await openAccount(server())
  await putRules(account)
  expect(await rulesOf(account)).toEqual([])
  const { id } = await account.pay('probe_transfer', { merchant_reference: 'a-succeeds' })
  await account.advance('1h')
  expect((await account.read(id)).status).toBe('pending')
})

test('POST puts its rules, in order, in front of those in force', async () => {
  const account = await openAccount(server())
  await putRules(account, mark('first'), mark('last'))
  await putInFront(
    account,
    mark('new-a', { merchant_reference: 'a' }),
    mark('new-b', { merchant_reference: '?' }),
  )
  expect((await rulesOf(account)).map(({ name }) => name)).toEqual(['new-a', 'new-b', 'first', 'last'])
  expect(await decides(account, { merchant_reference: 'a' })).toBe('new-a')
  expect(await decides(account, { merchant_reference: 'b' })).toBe('new-b')
  expect(await decides(account, { merchant_reference: 'cc' })).toBe('first')
})

test('POST leaves the default rules in force behind its own', async () => {
  const account = await openAccount(server())
  const standard = await rulesOf(account)
  await putInFront(account, mark('mine', { merchant_reference: 'mine' }))
  expect(await rulesOf(account)).toEqual([mark('mine', { merchant_reference: 'mine' }), ...standard])
  expect(await decides(account, { merchant_reference: 'order-declines' })).toBe('payment_declined')
})

test('DELETE brings the default rules back', async () => {
  const account = await openAccount(server())
  const standard = await rulesOf(account)
  await putRules(account, mark('mine'))
  await backToDefault(account)
  expect(await rulesOf(account)).toEqual(standard)
  expect(await decides(account, { merchant_reference: 'order-declines' })).toBe('payment_declined')
})

test('a merchant starts with the rules given at creation, in both environments', async () => {
  const { test: sandbox, live } = await openMerchant(server(), { rules: [mark('born-with')] })
  for (const account of [sandbox, live]) {
    expect(await rulesOf(account)).toEqual([mark('born-with')])
    expect(await decides(account)).toBe('born-with')
  }
})

test('the rules of one account do not affect others', async () => {
  const [one, other] = [await openMerchant(server()), await openAccount(server())]
  await putRules(one.test, mark('mine'))
  expect(await decides(one.test)).toBe('mine')
  expect(await decides(one.live)).toBeNull()
  expect(await decides(other)).toBeNull()
})

describe.each(['PUT', 'POST'] as const)('%s of a bad rule behind a good one', method => {
  test('is 400 and changes nothing', async () => {
    const account = await openAccount(server())
    await putRules(account, mark('stays', {}, { times: 2 }))
    expect(await decides(account)).toBe('stays')
    const before = await rulesOf(account)
    expectError(
      await sendRules(account, method, [mark('good'), { outcome: { status: 'lost' } }]),
      400,
      'validation_failed',
    )
    expect(await rulesOf(account)).toEqual(before)
    expect(await decides(account), 'once more of two').toBe('stays')
    expect(await decides(account), 'the count was kept').toBeNull()
  })
})

test('PUT of rules and of faults instead of others than those in force changes nothing', async () => {
  const account = await openAccount(server())
  const put = (path: string, body: unknown) => account.control('PUT', path, { body })
  const [one, two] = [mark('one'), mark('two')]
  await putRules(account, one)
  const seen = await rulesOf(account)
  await putInFront(account, two)
  const late = await put('/rules', { rules: [], instead_of: seen })
  expectError(late, 422, 'invalid_state')
  expect(late.body.error.message).toMatch(/^Somebody changed the rules .* nothing was replaced$/)
  expect(await rulesOf(account)).toEqual([two, one])
  // The order of members is nothing that somebody changed.
  const [{ name, ...rest }] = [two]
  expect((await put('/rules', { rules: [one], instead_of: [{ ...rest, name }, one] })).status).toBe(200)
  expectError(
    await put('/rules', { rules: [], instead_of: [{ outcom: 'manual' }] }),
    400,
    'validation_failed',
  )
  expect(await rulesOf(account)).toEqual([one])

  const faults = [{ on: 'webhook', type: 'duplicate' }]
  expect((await put('/faults', { faults, instead_of: [] })).status).toBe(200)
  expectError(await put('/faults', { faults: [], instead_of: [] }), 422, 'invalid_state')
  expect((await account.control('GET', '/faults')).body.faults).toEqual(faults)
})

test('rules are tried with the last payments and payouts, and change nothing', async () => {
  const account = await openAccount(server())
  await putRules(account, mark('in force'))
  const tryRules = async (...rules: unknown[]) =>
    (await account.control('POST', '/rules/try', { body: { rules } })).body
  expect(await tryRules({})).toMatchObject({ payments: 0, payouts: 0 })
  await addPayout(account)
  for (const amount of ['5000', '7000', '9000']) await account.pay('probe_transfer', { amount })
  const over = { match: { amount: { gt: '5000' } } }
  const state = async () => (await account.control('GET', '/rules')).body
  const before = await state()
  expect(await tryRules(over, { match: { kind: 'payment' } })).toEqual({
    payments: 3,
    payouts: 1,
    rules: [
      { payments: { matched: 2, used: 2 }, payouts: { matched: 1, used: 1 } },
      { payments: { matched: 3, used: 1 }, payouts: { matched: 0, used: 0 } },
    ],
  })
  expect(await state()).toEqual(before)
  expectError(
    await account.control('POST', '/rules/try', { body: { rules: [{ outcom: 'manual' }] } }),
    400,
    'validation_failed',
  )
})

test('a merchant with an invalid rule is not created', async () => {
  const settings = { id: 'never-made', rules: [{ outcome: { status: 'lost' } }] }
  expectError(await server().control('POST', '/merchants', { body: settings }), 400, 'validation_failed')
  expectError(await server().control('GET', '/merchants/never-made'), 404, 'not_found')
})

test.each(['GET', 'PUT', 'POST', 'DELETE'])('%s requires the token and an existing account', async method => {
  const account = await openAccount(server())
  const body = ['PUT', 'POST'].includes(method) ? { body: { rules: [] } } : {}
  expectError(await account.control(method, '/rules', { ...body, anonymous: true }), 401, 'unauthorized')
  expectError(await server().control(method, '/accounts/no.test/rules', body), 404, 'not_found')
})
