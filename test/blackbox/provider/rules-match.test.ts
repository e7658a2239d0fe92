import { beforeAll, describe, expect, test } from 'vitest'
import { type Merchant, openMerchant } from '../../support/gateway/merchant.ts'
import { FORTY_DIGITS, MAIN, probeCatalogue, SPARE } from '../../support/gateway/probe-catalogue.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import {
  decides,
  decidesPayout,
  mark,
  markOn,
  markPayouts,
  putRules,
  type Rule,
} from '../../support/provider/rules.ts'

const server = sharedServer()
let merchant: Merchant

beforeAll(async () => {
  const vietnamese = { method: 'probe_transfer', action: 'display_bank_transfer_instructions', country: 'VN' }
  merchant = await openMerchant(server(), {
    catalogue: probeCatalogue(routes => [...routes, vietnamese, { ...vietnamese, currency: 'VND' }]),
  })
})

/** Both ways: as a match it decides exactly what holds, as a `not` exactly the rest. */
async function expectHolds(condition: Rule, cases: [unknown, boolean, () => Promise<string | null>][]) {
  for (const [rule, decided] of [
    [mark('hit', condition), true],
    [mark('hit', { kind: 'payment' }, { not: condition }), false],
  ] as const) {
    await putRules(merchant.test, rule)
    await putRules(merchant.live, rule)
    for (const [what, holds, decide] of cases)
      expect(await decide(), `${JSON.stringify(rule)} on ${JSON.stringify(what)}`).toBe(
        holds === decided ? 'hit' : null,
      )
  }
}

const paying = (changes: Rule, method?: string) => () => decides(merchant.test, changes, method)
const paidLive = () => decides(merchant.live)
const hosted = async () =>
  markOn(merchant.test, await merchant.test.payHosted({ payment_method: 'probe_transfer' }))

describe('a condition matches what it names and nothing else', () => {
  test.each<[Rule, () => Promise<string | null>, () => Promise<string | null>]>([
    [{ method: 'probe_qr' }, paying({}, 'probe_qr'), paying({}, 'probe_transfer')],
    [{ method: ['probe_qr', 'probe_redirect'] }, paying({}, 'probe_redirect'), paying({}, 'probe_transfer')],
    [{ provider: SPARE }, paying(bank('gamma'), 'probe_banks'), paying(bank('alpha'), 'probe_banks')],
    [{ provider: MAIN }, paying(bank('alpha'), 'probe_banks'), paying(bank('gamma'), 'probe_banks')],
    [{ checkout_mode: 'merchant' }, paying({}), hosted],
    [{ checkout_mode: 'hosted' }, hosted, paying({})],
    [{ currency: 'ZQCOIN' }, paying({ currency: 'ZQCOIN' }, 'probe_six_letters'), paying({})],
    [{ currency: ['VND', 'THB'] }, paying({}), paying({ currency: 'ZQCOIN' }, 'probe_six_letters')],
    [{ country: 'VN' }, paying({ country: 'VN', currency: 'VND' }), paying({})],
    [{ country: ['MY', 'TH'] }, paying({}), paying({ country: 'VN' })],
    [{ environment: 'live' }, paidLive, paying({})],
    [{ environment: 'test' }, paying({}), paidLive],
    [
      { customer: { name: 'Malee *' } },
      paying(customer({ name: 'Malee S' })),
      paying(customer({ name: 'Malee' })),
    ],
    [
      { customer: { phone: '+66*' } },
      paying(customer({ phone: '+66812' })),
      paying(customer({ phone: '066812' })),
    ],
    [
      { customer: { email: '*@shop.example' } },
      paying(customer({ email: 'a.b@shop.example' })),
      paying(customer({ email: 'a@shop-example' })),
    ],
    [{ customer: { email: '*' } }, paying(customer({ email: 'a@b' })), paying(customer({}))],
    [
      { customer: { name: ['Ann', 'Bob'], email: '*' } },
      paying(customer({ name: 'Bob', email: 'b@b' })),
      paying(customer({ name: 'Bob' })),
    ],
  ])('%j', async (condition, holding, other) => {
    await expectHolds(condition, [
      ['what holds', true, holding],
      ['the other', false, other],
    ])
  })

  test('all conditions of a match must hold', async () => {
    const account = merchant.test
    await putRules(
      account,
      mark('hit', { method: 'probe_qr', merchant_reference: 'a*', amount: { gte: '1000' } }),
    )
    const good = { merchant_reference: 'a1', amount: '1000' }
    expect(await decides(account, good, 'probe_qr')).toBe('hit')
    expect(await decides(account, good, 'probe_transfer')).toBeNull()
    expect(await decides(account, { ...good, merchant_reference: 'b1' }, 'probe_qr')).toBeNull()
    expect(await decides(account, { ...good, amount: '999' }, 'probe_qr')).toBeNull()
  })

  test('a `not` excludes part of what the match covers', async () => {
    const account = merchant.test
    await putRules(account, mark('hit', { merchant_reference: 'a*' }, { not: { merchant_reference: '*z' } }))
    expect(await decides(account, { merchant_reference: 'ab' })).toBe('hit')
    expect(await decides(account, { merchant_reference: 'az' })).toBeNull()
    expect(await decides(account, { merchant_reference: 'b' })).toBeNull()
  })
})

describe('the kind', () => {
  test.each<[string, Rule, string | null, string | null]>([
    ['payment', mark('hit', { kind: 'payment' }), 'hit', null],
    ['payout', markPayouts('hit'), null, 'hit'],
    ['not payment', mark('hit', {}, { not: { kind: 'payment' }, approval: { after: '0s' } }), null, 'hit'],
    ['not payout', mark('hit', {}, { not: { kind: 'payout' } }), 'hit', null],
  ])('%s matches that kind only', async (_, rule, onPayment, onPayout) => {
    await putRules(merchant.test, rule)
    expect(await decides(merchant.test)).toBe(onPayment)
    expect(await decidesPayout(merchant.test)).toBe(onPayout)
  })

  test('a payout is matched by its own amount, currency, country and reference', async () => {
    const account = merchant.test
    const wanted = { amount: { lte: '500' }, currency: 'VND', country: 'VN', merchant_reference: 'wages-*' }
    await putRules(account, markPayouts('hit', wanted))
    const good = { amount: '500', currency: 'VND', country: 'VN', merchant_reference: 'wages-1' }
    expect(await decidesPayout(account, good)).toBe('hit')
    for (const change of [
      { amount: '501' },
      { currency: 'THB' },
      { country: 'TH' },
      { merchant_reference: 'w' },
    ])
      expect(await decidesPayout(account, { ...good, ...change }), JSON.stringify(change)).toBeNull()
  })

  test('a condition on something payouts lack matches no payout', async () => {
    const account = merchant.test
    for (const match of [{ method: '*' }, { checkout_mode: 'merchant' }, { customer: { name: '*' } }]) {
      await putRules(account, mark('hit', match, { approval: { after: '0s' } }))
      expect(await decidesPayout(account), JSON.stringify(match)).toBeNull()
    }
  })
})

describe('amounts are compared as numbers, exactly at the limits', () => {
  const AMOUNTS = ['14999', '15000', '15001']
  test.each<[unknown, boolean[]]>([
    ['15000', [false, true, false]],
    [{ eq: '15000' }, [false, true, false]],
    [{ gt: '15000' }, [false, false, true]],
    [{ gte: '15000' }, [false, true, true]],
    [{ lt: '15000' }, [true, false, false]],
    [{ lte: '15000' }, [true, true, false]],
    [{ gte: '15000', lt: '15001' }, [false, true, false]],
    [{ gt: '14999', lte: '15001' }, [false, true, true]],
    [{ gt: '9999' }, [true, true, true]],
    [{ lt: '2' }, [false, false, false]],
    [{ lt: '100000' }, [true, true, true]],
  ])('%j', async (amount, holding) => {
    const cases = AMOUNTS.map((one, at) => [one, holding[at] ?? false, paying({ amount: one })] as const)
    await expectHolds({ amount }, cases as [string, boolean, () => Promise<string | null>][])
  })

  test('also beyond floating-point precision', async () => {
    const below = (BigInt(FORTY_DIGITS) - 1n).toString()
    await expectHolds({ amount: { gte: FORTY_DIGITS } }, [
      [FORTY_DIGITS, true, paying({ amount: FORTY_DIGITS }, 'probe_vast')],
      [below, false, paying({ amount: below }, 'probe_vast')],
    ])
  })
})

describe('a glob matches the whole reference, and only * and ? are wildcards', () => {
  test.each<[string | string[], string[], string[]]>([
    ['order-*', ['order-', 'order-1', 'order-*', 'order-😀ไทย'], ['order', 'xorder-1', 'reorder-1']],
    ['*-done', ['-done', 'a-done', 'a-done-done'], ['a-done-', 'done']],
    ['a*b*c', ['abc', 'a-b-c', 'abbcc'], ['acb', 'abcd']],
    ['*', ['x', '日本'], []],
    ['order-?', ['order-1', 'order-😀', 'order-?'], ['order-', 'order-12']],
    ['plain', ['plain'], ['plain ', 'plai', 'plainer']],
    ['a.c', ['a.c'], ['abc', 'a-c']],
    ['a+', ['a+'], ['a', 'aa']],
    ['(a|b)', ['(a|b)'], ['a', 'b']],
    ['^a$', ['^a$'], ['a']],
    ['\\d{2}', ['\\d{2}'], ['12', 'dd']],
    ['a)b(c', ['a)b(c'], ['abc']],
    ['/.*/', ['/./', '/.x/'], ['/x/', 'x']],
    [['a-*', '*-z'], ['a-1', '1-z', 'a-z'], ['b-1']],
  ])('%j', async (glob, matching, others) => {
    await expectHolds({ merchant_reference: glob }, [
      ...matching.map(one => [one, true, paying({ merchant_reference: one })] as [string, boolean, never]),
      ...others.map(one => [one, false, paying({ merchant_reference: one })] as [string, boolean, never]),
    ])
  })
})

function bank(code: string): Rule {
  return { payment_method_options: { bank: code } }
}

function customer(fields: Rule): Rule {
  return { customer: fields }
}
