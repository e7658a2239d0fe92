import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectInvalid, namedFields } from '../../support/http/answers.ts'
import { discovering } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

describe('an invalid parameter is refused and named', () => {
  test.each([
    ['amount', undefined],
    ['amount', ''],
    ['amount', '0'],
    ['amount', '00'],
    ['amount', '01'],
    ['amount', '-1'],
    ['amount', '+1'],
    ['amount', '1.5'],
    ['amount', '1e3'],
    ['amount', '0x10'],
    ['amount', ' 1'],
    ['amount', '1 '],
    ['amount', '1\n'],
    ['amount', '1,000'],
    ['amount', '١٢٣'],
    ['amount', 'NaN'],
    ['country', undefined],
    ['country', ''],
    ['country', 'T'],
    ['country', 'THA'],
    ['country', 'th'],
    ['country', 'T1'],
    ['country', 'TH\n'],
    ['country', 'ТН'],
    ['currency', undefined],
    ['currency', ''],
    ['currency', 'TH'],
    ['currency', 'THBTHBT'],
    ['currency', 'thb'],
    ['currency', 'TH8'],
    ['currency', 'THB\n'],
    ['checkout_mode', ''],
    ['checkout_mode', 'HOSTED'],
    ['checkout_mode', 'both'],
    ['checkout_mode', 'hosted '],
    ['provider', ''],
    ['provider', '-siam'],
    ['provider', '_siam'],
    ['provider', 'Siam'],
    ['provider', 'si am'],
    ['provider', 'si.am'],
    ['provider', 'siam\n'],
    ['provider', 'สยาม'],
    ['provider', 'a'.repeat(65)],
  ])('%s = %j', async (name, value) => {
    expectInvalid(await account.call('GET', discovering({ [name]: value })), name)
  })

  test.each([
    ['amount', '15000'],
    ['amount', '15001'],
    ['country', 'TH'],
    ['currency', 'THB'],
    ['checkout_mode', 'hosted'],
    ['provider', 'siam'],
  ])('%s given twice, the second time as %s', async (name, value) => {
    const query = discovering({ checkout_mode: 'hosted', provider: 'siam' })
    expectInvalid(await account.call('GET', `${query}&${name}=${value}`), name)
  })

  test('several errors are all listed', async () => {
    const query = discovering({
      amount: '0',
      country: undefined,
      currency: 'x',
      provider: '-',
      checkout_mode: '',
    })
    expectInvalid(
      await account.call('GET', query),
      'amount',
      'checkout_mode',
      'country',
      'currency',
      'provider',
    )
  })

  test('an empty query lists all required parameters', async () => {
    expectInvalid(await account.call('GET', '/payment_methods/options'), 'amount', 'country', 'currency')
  })

  test('names are case-sensitive', async () => {
    const answer = await account.call('GET', '/payment_methods/options?Amount=1&country=TH&currency=THB')
    expectInvalid(answer, 'amount')
  })
})

describe('a valid parameter is accepted', () => {
  test.each([
    ['amount', '1'],
    ['amount', '9'.repeat(40)],
    ['amount', '9'.repeat(400)],
    ['country', 'ZZ'],
    ['country', 'AQ'],
    ['currency', 'THB'],
    ['currency', 'USDT'],
    ['currency', 'ABCDEF'],
    ['checkout_mode', 'hosted'],
    ['checkout_mode', 'merchant'],
    ['provider', 'a'],
    ['provider', '0'],
    ['provider', 'a-b_c-9_'],
    ['provider', 'a'.repeat(64)],
  ])('%s = %s', async (name, value) => {
    const answer = await account.call('GET', discovering({ [name]: value }))
    expect(answer.status, answer.text).toBe(200)
  })

  test('an unknown parameter is ignored, even when given twice', async () => {
    const plain = await account.call('GET', discovering())
    const more = await account.call('GET', `${discovering()}&limit=0&x=1&x=2&__proto__=1&constructor=1`)
    expect(more.status).toBe(200)
    expect(more.body).toEqual(plain.body)
  })

  test('a parameter may be percent-encoded', async () => {
    const answer = await account.call(
      'GET',
      '/payment_methods/options?amount=%31&country=%54H&currency=TH%42',
    )
    expect(answer.body).toMatchObject({ country: 'TH', currency: 'THB' })
  })
})

test('an invalid percent-encoding is 400', async () => {
  const answer = await account.call('GET', '/payment_methods/options?amount=%zz&country=TH&currency=THB')
  expectError(answer, 400, 'validation_failed')
  expect(namedFields(answer)).not.toContain('country')
})
