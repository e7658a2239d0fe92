import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { discovering } from '../../support/payments/requests.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server(), { catalogue: undefined })
})

const MARKETS: [string, string][] = [
  ['TH', 'THB'],
  ['VN', 'VND'],
  ['ID', 'IDR'],
  ['PH', 'PHP'],
  ['MY', 'MYR'],
]
const AMOUNTS = ['10000', '100000', '1000000', '10000000']

async function offered(country: string, currency: string, amount: string, checkout_mode: string) {
  return (await account.call('GET', discovering({ country, currency, amount, checkout_mode }))).body.methods
}

describe.each(MARKETS)('%s in %s', (country, currency) => {
  test.each(['hosted', 'merchant'])('has methods in %s mode', async mode => {
    const counts = await Promise.all(
      AMOUNTS.map(async amount => (await offered(country, currency, amount, mode)).length),
    )
    expect(Math.max(...counts)).toBeGreaterThan(0)
  })

  test('every offered method can be created with exactly the required fields', async () => {
    let created = 0
    for (const amount of AMOUNTS) {
      for (const method of await offered(country, currency, amount, 'merchant')) {
        const banks: { code: string }[] = method.options.banks
        for (const bank of banks.length === 0 ? [undefined] : [banks[0]?.code, banks.at(-1)?.code]) {
          const made = await account.pay(method.code, {
            amount,
            country,
            currency,
            ...required(method, bank),
          })
          expect(made).toMatchObject({ payment_method: method.code, amount, country, currency })
          expectProducible(made, method.next_action_types)
          created += 1
        }
      }
    }
    expect(created).toBeGreaterThan(0)
  })
})

describe('the documented methods', () => {
  test('th_bank_transfer requires a receipt', async () => {
    const made = await account.pay('th_bank_transfer')
    expect(made.next_action.type).toBe('display_bank_transfer_instructions')
    expect(made.receipt).toEqual({ status: 'required' })
  })

  test('th_promptpay gives a QR code', async () => {
    expect((await account.pay('th_promptpay')).next_action.type).toBe('display_qr_code')
  })

  test('th_mobile_banking is a bank redirect without cancel-pending, with real banks', async () => {
    const methods = await offered('TH', 'THB', '15000', 'merchant')
    const method = methods.find((entry: { code: string }) => entry.code === 'th_mobile_banking')
    expect(method).toMatchObject({ category: 'bank_redirect', next_action_types: ['redirect_to_url'] })
    const bank = method.options.banks[0]?.code
    const made = await account.pay('th_mobile_banking', required(method, bank))
    expect((await account.cancel(made.id)).body.error.code).toBe('provider_capability_unsupported')
  })

  test('at least one method presents its action later, so its intent starts as processing', async () => {
    const statuses = new Set<string>()
    for (const [country, currency] of MARKETS) {
      for (const amount of AMOUNTS) {
        for (const method of await offered(country, currency, amount, 'merchant')) {
          const bank = method.options.banks[0]?.code
          const body = { amount, country, currency, ...required(method, bank) }
          statuses.add((await account.pay(method.code, body)).status)
        }
      }
    }
    expect([...statuses].sort()).toEqual(['pending', 'processing'])
  })
})

/** The create fields of what discovery says is required, by the document's mapping. */
function required(method: { options: { payer: Record<string, { required: boolean }> } }, bank?: string) {
  const wants = (field: string) => method.options.payer[field]?.required === true
  const options = {
    ...(wants('account_name') && { account_name: 'Somchai Jaidee' }),
    ...(wants('account_number') && { account_number: '1234567890' }),
    ...(wants('name_th') && { name_th: 'สมชาย ใจดี' }),
    ...(bank !== undefined && { bank }),
  }
  return {
    customer: {
      ...(wants('customer_name') && { name: 'Somchai Jaidee' }),
      ...(wants('customer_phone') && { phone: '+66812345678' }),
    },
    ...(Object.keys(options).length > 0 && { payment_method_options: options }),
  }
}

function expectProducible(made: Json, types: string[]) {
  if (made.status === 'processing') expect(made.next_action).toBeNull()
  else expect(types).toContain(made.next_action.type)
}
