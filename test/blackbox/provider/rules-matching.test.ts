import { describe, expect, test } from 'vitest'
import { type Account, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import { MAIN, probeCatalogue, SPARE } from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectReplay } from '../../support/http/answers.ts'
import { discovering, paying } from '../../support/payments/requests.ts'
import {
  backToDefault,
  decides,
  decidesPayout,
  mark,
  markOn,
  markPayouts,
  putInFront,
  putRules,
  type Rule,
} from '../../support/provider/rules.ts'

/**
 * Which rule decides on a payment or a payout. What conditions, globs, amounts and counts mean is tested in
 * test/domain/rule-*; here is that the gateway looks at the right facts, and counts the right requests.
 */

const server = sharedServer()

/** What decides so many payments, one after the other. */
async function decisions(account: Account, count: number, changes: Rule = {}) {
  const marks: (string | null)[] = []
  for (let made = 0; made < count; made += 1) marks.push(await decides(account, changes))
  return marks
}

async function accountWith(...rules: Rule[]): Promise<Account> {
  const account = await openAccount(server())
  await putRules(account, ...rules)
  return account
}

const A = { merchant_reference: 'a' }

describe('the facts of a payment', () => {
  const vietnamese = { method: 'probe_transfer', action: 'display_bank_transfer_instructions', country: 'VN' }
  const catalogue = probeCatalogue(routes => [...routes, vietnamese])
  const created =
    (changes: Rule, method?: string) =>
    (account: Account): Promise<string | null> =>
      decides(account, changes, method)
  const hosted = async (account: Account) =>
    markOn(account, await account.payHosted({ payment_method: 'probe_transfer' }))
  const bank = (code: string) => created({ payment_method_options: { bank: code } }, 'probe_banks')
  const customer = (fields: Rule) => created({ customer: fields })

  test.each<[Rule, (account: Account) => Promise<unknown>, (account: Account) => Promise<unknown>]>([
    [{ method: 'probe_qr' }, created({}, 'probe_qr'), created({}, 'probe_transfer')],
    [{ provider: SPARE }, bank('gamma'), bank('alpha')],
    [{ provider: MAIN }, bank('alpha'), bank('gamma')],
    [{ checkout_mode: 'merchant' }, created({}), hosted],
    [{ checkout_mode: 'hosted' }, hosted, created({})],
    [{ currency: 'ZQCOIN' }, created({ currency: 'ZQCOIN' }, 'probe_six_letters'), created({})],
    [{ country: 'VN' }, created({ country: 'VN' }), created({})],
    [{ amount: { gte: '15000' } }, created({ amount: '15000' }), created({ amount: '14999' })],
    [{ merchant_reference: 'a*' }, created({ merchant_reference: 'ab' }), created({})],
    [{ customer: { name: 'Malee *' } }, customer({ name: 'Malee S' }), customer({ name: 'Malee' })],
    [{ customer: { phone: '+66*' } }, customer({ phone: '+66812' }), customer({ phone: '066812' })],
    [{ customer: { email: '*@b' } }, customer({ email: 'a@b' }), customer({})],
    [{ kind: 'payment' }, created({}), account => decidesPayout(account)],
  ])('%j', async (condition, holding, other) => {
    const account = await openAccount(server(), { catalogue })
    await putRules(account, mark('hit', condition))
    expect([await holding(account), await other(account)]).toEqual(['hit', null])
    await putRules(account, mark('hit', { kind: 'payment' }, { not: condition }))
    expect([await holding(account), await other(account)].indexOf('hit')).toBe(
      condition.kind === 'payment' ? -1 : 1,
    )
  })

  test('the environment', async () => {
    const { test, live } = await openMerchant(server())
    for (const account of [test, live]) await putRules(account, mark('hit', { environment: 'live' }))
    expect([await decides(test), await decides(live)]).toEqual([null, 'hit'])
  })
})

test('a payout is matched by its own amount, currency, country, reference and recipient', async () => {
  const wanted = {
    amount: { lte: '500' },
    currency: 'VND',
    country: 'VN',
    merchant_reference: 'wages-*',
    recipient: { bank_code: 'bbl' },
  }
  const account = await accountWith(markPayouts('hit', wanted))
  const good = { amount: '500', currency: 'VND', country: 'VN', merchant_reference: 'wages-1' }
  expect(await decidesPayout(account, good)).toBe('hit')
  expect(await decides(account)).toBeNull()
  const recipient = { bank_code: 'scb', holder_name: 'Somchai Jaidee', account_number: '550412349876' }
  for (const change of [
    { amount: '501' },
    { currency: 'THB' },
    { country: 'TH' },
    { merchant_reference: 'w' },
    { recipient },
  ])
    expect(await decidesPayout(account, { ...good, ...change }), JSON.stringify(change)).toBeNull()
})

describe('of several rules', () => {
  test('the winning one decides everything, and later ones add nothing', async () => {
    const account = await accountWith({ name: 'silent' }, mark('later'))
    const { id } = await account.pay('probe_transfer')
    await account.advance('1h')
    expect((await account.read(id)).status).toBe('pending')
  })
})

describe('counting', () => {
  test('a rule that is used up leaves the next ones, and at last the payer', async () => {
    const account = await accountWith(mark('twice', {}, { times: 2 }), mark('fourth', { nth: 2 }))
    expect(await decisions(account, 5)).toEqual(['twice', 'twice', null, 'fourth', null])
  })

  test('payments and payouts share one count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1, outcome: fails('once') }), mark('rest'))
    await decidesPayout(account)
    expect(await decides(account)).toBe('rest')
  })

  test('payouts use up their rules too', async () => {
    const account = await accountWith(markPayouts('once', {}, { times: 1 }), markPayouts('rest'))
    expect(await decidesPayout(account)).toBe('once')
    expect(await decidesPayout(account)).toBe('rest')
  })
})

describe('requests that start nothing at a provider are not counted', () => {
  test('a refused request does not count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1 }))
    const refused = await account.call('POST', '/payment_intents', {
      body: paying('probe_transfer', { amount: '0' }),
    })
    expectError(refused, 400, 'validation_failed')
    const unroutable = await account.call('POST', '/payment_intents', { body: paying('probe_sick') })
    expect(unroutable.status).toBe(422)
    expect(await decides(account)).toBe('once')
  })

  test('discovery does not count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1 }))
    await account.call('GET', discovering())
    expect(await decides(account)).toBe('once')
  })

  test('a replay does not count', async () => {
    const account = await accountWith(mark('first two', {}, { times: 2 }))
    const request = { body: paying('probe_transfer'), headers: { 'idempotency-key': 'once' } }
    const first = await account.call('POST', '/payment_intents', request)
    expectReplay(await account.call('POST', '/payment_intents', request), first)
    expect(await decisions(account, 2)).toEqual(['first two', null])
  })

  test('a hosted intent whose payer has not chosen does not count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1 }))
    const waiting = await account.payHosted()
    expect(await decides(account)).toBe('once')
    await account.advance('1m')
    expect((await account.read(waiting.id)).failure_code).toBeNull()
  })
})

describe('when the rules change', () => {
  test('rules moved behind others keep their counts', async () => {
    const account = await accountWith(
      mark('once', {}, { times: 1 }),
      mark('third', { ...A, nth: 3 }),
      mark('twice', {}, { times: 2 }),
      mark('rest'),
    )
    expect(await decisions(account, 2, A)).toEqual(['once', 'twice'])
    await putInFront(account, mark('b', { merchant_reference: 'b' }), mark('c', { merchant_reference: 'c' }))
    expect(await decides(account, { merchant_reference: 'b' })).toBe('b')
    expect(await decisions(account, 3, A)).toEqual(['twice', 'third', 'rest'])
  })

  test('restored default rules apply every time', async () => {
    const account = await accountWith(mark('mine'))
    await decides(account)
    await backToDefault(account)
    const declining = { merchant_reference: 'x-declines' }
    expect(await decisions(account, 2, declining)).toEqual(['payment_declined', 'payment_declined'])
  })
})

function fails(code: string): Rule {
  return { after: '0s', status: 'failed', code }
}
