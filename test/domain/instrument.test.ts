import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Instrument, type InstrumentRequest, makeInstrument } from '../../src/domain/instrument/index.ts'
import {
  inCountry,
  parse,
  paymentIds,
  qrOf,
  request,
  template,
} from '../support/domain/instrument-requests.ts'

describe('bank transfer instructions', () => {
  const banks = [
    { code: 'bbl', label: 'Bangkok Bank', name_th: 'ธนาคารกรุงเทพ' },
    { code: 'kbank', label: 'Kasikornbank' },
    { code: 'scb', label: 'Siam Commercial Bank' },
  ]
  const method = { code: 'th_bank_transfer', label: 'Thai bank transfer', banks }

  function transferOf(overrides: Partial<InstrumentRequest> = {}) {
    const instrument: Instrument = makeInstrument(
      request({ action: 'display_bank_transfer_instructions', method, ...overrides }),
    )
    if (instrument.type !== 'display_bank_transfer_instructions') throw new Error(instrument.type)
    return instrument
  }

  test('names the chosen bank, by code and label alone', () => {
    expect(transferOf({ bank: 'bbl' }).bank).toEqual({ code: 'bbl', label: 'Bangkok Bank' })
  })

  test("picks one of the method's banks if none was chosen, always the same one", () => {
    expect(transferOf().bank).toEqual(transferOf().bank)
    const picked = new Set(
      fc.sample(paymentIds, { numRuns: 100, seed: 1 }).map(paymentId => transferOf({ paymentId }).bank.code),
    )
    expect(picked).toEqual(new Set(['bbl', 'kbank', 'scb']))
  })

  test('names the method if it has no banks', () => {
    const bankless = { code: 'th_virtual_account', label: 'Transfer to an account made for this payment' }
    expect(transferOf({ method: bankless }).bank).toEqual(bankless)
    expect(transferOf({ method: { ...bankless, banks: [] } }).bank).toEqual(bankless)
  })

  test('names the receiver after the merchant, in any script', () => {
    expect(transferOf({ payee: ' ร้านกาแฟ ' }).account.name).toBe('ร้านกาแฟ Collections')
    expect(transferOf({ payee: '' }).account.name).toBe('Merchant Collections')
  })

  test.each([
    ['TH', 10],
    ['VN', 13],
    ['ID', 16],
    ['PH', 12],
    ['MY', 12],
    ['SG', 12],
  ] as const)('an account in %s has %i digits', (country, length) => {
    const overrides = inCountry(country, { action: 'display_bank_transfer_instructions' })
    expect(transferOf(overrides).account.number).toMatch(new RegExp(`^\\d{${length}}$`))
  })

  test('has a reference that is easy to read, and different for each of 20,000 intents', () => {
    const references = new Set<string>()
    const accounts = new Set<string>()
    for (let intent = 0; intent < 20_000; intent++) {
      const { reference, account } = transferOf({ paymentId: `pi_${String(intent).padStart(24, '0')}` })
      references.add(reference)
      accounts.add(account.number)
    }
    const readsWell = /^[2-9CDFGHJKMNPQRTVWXY]{4}(-[2-9CDFGHJKMNPQRTVWXY]{4}){2}$/
    expect([...references].filter(reference => !readsWell.test(reference))).toEqual([])
    expect(references.size).toBe(20_000)
    expect(accounts.size).toBeGreaterThan(19_990)
  })

  test('has the same reference as the QR code of the intent', () => {
    expect(template(parse(qrOf(request())), '62')['05']).toBe(transferOf().reference.replaceAll('-', ''))
  })

  test('does not depend on the amount', () => {
    expect(transferOf({ amount: '1' })).toEqual(transferOf({ amount: '9'.repeat(30) }))
  })
})

describe('redirect', () => {
  test('has only its type', () => {
    expect(makeInstrument(request({ action: 'redirect_to_url' }))).toEqual({ type: 'redirect_to_url' })
  })
})

test('instruments are the same as in earlier versions, because journals and seeds rely on it', () => {
  const transfer = makeInstrument(request({ action: 'display_bank_transfer_instructions' }))
  expect([transfer, qrOf(request())]).toMatchInlineSnapshot(`
    [
      {
        "account": {
          "name": "Default merchant Collections",
          "number": "0851633320",
        },
        "bank": {
          "code": "th_promptpay",
          "label": "PromptPay QR",
        },
        "reference": "HRC3-3D6N-82PK",
        "type": "display_bank_transfer_instructions",
      },
      "00020101021230690016A00000067701011201150003489941632000212HRC33D6N82PK0310530803479852045999530376454071234.505802TH5916Default merchant6007BANGKOK62280512HRC33D6N82PK070865174363630414AB",
    ]
  `)
})
