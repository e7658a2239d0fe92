import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatMinor } from '../../src/contract/currencies.ts'
import { crc16, field } from '../../src/domain/instrument/qr-payload.ts'
import {
  COUNTRIES,
  inCountry,
  parse,
  paymentIds,
  qrOf,
  request,
  template,
} from '../support/domain/instrument-requests.ts'

const amounts = fc
  .integer({ min: 1, max: 30 })
  .chain(length => fc.bigInt({ min: 10n ** BigInt(length - 1), max: 10n ** BigInt(length) - 1n }))
  .map(String)
const payees = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.string({ maxLength: 80 }))

/** Bit by bit, to check the table-driven one. */
function slowCrc(text: string): string {
  let crc = 0xffff
  for (const letter of text) {
    crc ^= letter.charCodeAt(0) << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

describe('building blocks', () => {
  test('computes CRC-16/CCITT-FALSE', () => {
    expect(crc16('123456789')).toBe('29B1')
    expect(crc16('')).toBe('FFFF')
  })

  // Codes published by PayNet, by a bank to one of its customers, and by the VietQR library of subiz.
  test.each([
    '00020201021126410014A000000615000101065016640209123456789520499995303458540510.005802MY5909QRCSDNBHD6005BANGI6304343F',
    '00020101021138550010A000000727012500069704230111083431441410208QRIBFTTA5204513753037045802VN5917TON THAT HOANG VU6006Ha Noi8707CLASSIC630454B2',
    '00020101021238570010A00000072701270006970415011300110019324180208QRIBFTTA530370454061200005802VN62170813ung ho lu lut6304C15C',
  ])('agrees with a published code: %s', published => {
    expect(crc16(published.slice(0, -4))).toBe(published.slice(-4))
    expect(parse(published)).toHaveProperty('63', published.slice(-4))
  })

  test('refuses a value that would break the lengths', () => {
    expect(field('59', 'x'.repeat(99))).toHaveLength(103)
    expect(() => field('59', 'x'.repeat(100))).toThrow(/tag 59/)
    expect(() => field('59', '')).toThrow(/tag 59/)
  })
})

describe('every QR payload', () => {
  const requests = fc
    .record({ country: fc.constantFrom(...COUNTRIES), paymentId: paymentIds, amount: amounts, payee: payees })
    .map(({ country, ...rest }) => inCountry(country, rest))

  test('is an EMVCo payload with the right lengths and checksum', () => {
    fc.assert(
      fc.property(requests, asked => {
        const data = qrOf(asked)
        const fields = parse(data)
        expect(data).toMatch(/^[ -~]{60,300}$/)
        expect(data).toMatch(/^00020[12]010212/)
        expect(data.slice(-8, -4)).toBe('6304')
        expect(fields['63']).toBe(slowCrc(data.slice(0, -4)))
        expect(fields).toMatchObject({ '01': '12', '52': '5999', '58': asked.country })
        expect(fields['53']).toMatch(/^\d{3}$/)
        expect(fields['59']).toMatch(/^[!-~]([ -~]{0,23}[!-~])?$/)
        expect(fields['60']).toMatch(/^[A-Z ]{2,15}$/)
        expect(template(fields, '62')['05']).toMatch(/^[2-9A-Z]{12}$/)
        for (const id of Object.keys(fields).filter(id => id >= '26' && id <= '51')) template(fields, id)
      }),
    )
  })

  test('carries the exact amount, or none if it does not fit', () => {
    fc.assert(
      fc.property(requests, asked => {
        const decimal = formatMinor(asked.amount, asked.currency)
        const expected = asked.country === 'ID' ? decimal.replace(/\.00$/, '') : decimal
        expect(parse(qrOf(asked))['54']).toBe(expected.length <= 13 ? expected : undefined)
      }),
    )
  })

  test('is the same for the same intent, and differs for another', () => {
    fc.assert(
      fc.property(requests, paymentIds, (asked, otherId) => {
        expect(qrOf({ ...asked })).toBe(qrOf(asked))
        fc.pre(otherId !== asked.paymentId)
        expect(qrOf({ ...asked, paymentId: otherId })).not.toBe(qrOf(asked))
      }),
    )
  })
})

describe('the amount', () => {
  test.each([
    ['TH', '123450', '1234.50'],
    ['VN', '5000', '5000'],
    ['ID', '1000000', '10000'],
    ['ID', '150', '1.50'],
    ['PH', '1', '0.01'],
    ['TH', '999999999999', '9999999999.99'],
    ['TH', '1000000000000', undefined],
    ['VN', '9999999999999', '9999999999999'],
    ['VN', '10000000000000', undefined],
  ] as const)('%s %s is %s', (country, amount, expected) => {
    expect(parse(qrOf(inCountry(country, { amount })))['54']).toBe(expected)
  })
})

describe('the merchant name', () => {
  test.each([
    ['Default merchant', 'Default merchant'],
    ['Phở Hà Nội Đường 9', 'Pho Ha Noi Duong 9'],
    ['  ร้าน  Coffee   99 ', 'Coffee 99'],
    ['ร้านกาแฟ', 'MERCHANT'],
    ['🍜!', 'MERCHANT'],
    ['', 'MERCHANT'],
    ['Łódź Straße Ångström', 'Lodz Strasse Angstrom'],
    ['A name that is far longer than a QR code takes', 'A name that is far longer'],
    ['Twenty-four letters name and more', 'Twenty-four letters name'],
  ])('"%s" reads "%s"', (payee, expected) => {
    expect(parse(qrOf(request({ payee })))['59']).toBe(expected)
  })
})

describe('schemes', () => {
  test('Thailand: PromptPay bill payment', () => {
    const fields = parse(qrOf(inCountry('TH')))
    const bill = template(fields, '30')
    expect(fields).toMatchObject({ '00': '01', '53': '764', '60': 'BANGKOK' })
    expect(bill).toEqual({
      '00': 'A000000677010112',
      '01': expect.stringMatching(/^000\d{12}$/),
      '02': template(fields, '62')['05'],
      '03': expect.stringMatching(/^\d{10}$/),
    })
    const taxId = bill['01'] ?? ''
    const sum = [...taxId.slice(0, 12)].reduce((total, digit, at) => total + Number(digit) * (13 - at), 0)
    expect(Number(taxId[12])).toBe((11 - (sum % 11)) % 10)
  })

  test('Vietnam: VietQR transfer to an account', () => {
    const fields = parse(qrOf(inCountry('VN')))
    const account = template(fields, '38')
    expect(fields).toMatchObject({ '00': '01', '53': '704' })
    expect(account).toMatchObject({ '00': 'A000000727', '02': 'QRIBFTTA' })
    expect(template(account, '01')).toEqual({
      '00': expect.stringMatching(/^9704\d\d$/),
      '01': expect.stringMatching(/^\d{13}$/),
    })
    expect(template(fields, '62')['08']).toBe(template(fields, '62')['05'])
  })

  test('Indonesia: QRIS', () => {
    fc.assert(
      fc.property(paymentIds, paymentId => {
        const fields = parse(qrOf(inCountry('ID', { paymentId })))
        const acquirer = template(fields, '26')
        expect(fields).toMatchObject({ '00': '01', '53': '360', '61': '10110' })
        expect(acquirer['01']).toMatch(/^9360\d{14}$/)
        expect(passesLuhn(acquirer['01'] ?? '')).toBe(true)
        expect(acquirer['01']?.slice(8, -1)).toBe(acquirer['02'])
        expect(template(fields, '51')).toEqual({
          '00': 'ID.CO.QRIS.WWW',
          '02': expect.stringMatching(/^ID10\d{11}$/),
          '03': 'UME',
        })
      }),
    )
  })

  test('the Philippines: QR Ph to a merchant', () => {
    const fields = parse(qrOf(inCountry('PH')))
    expect(fields).toMatchObject({ '00': '01', '53': '608' })
    expect(template(fields, '28')).toEqual({
      '00': 'ph.ppmi.p2m',
      '01': expect.stringMatching(/^[A-Z]{4}PH[A-Z0-9]{5}$/),
      '03': expect.stringMatching(/^\d{15}$/),
      '05': '000',
    })
    expect(template(fields, '62')['00']).toBe('ph.ppmi.qrph')
  })

  test('Malaysia: DuitNow QR, of format 02', () => {
    const fields = parse(qrOf(inCountry('MY')))
    expect(fields).toMatchObject({ '00': '02', '53': '458' })
    expect(template(fields, '26')).toEqual({
      '00': 'A0000006150001',
      '01': expect.stringMatching(/^\d{6}$/),
      '02': expect.stringMatching(/^\d{15}$/),
    })
  })

  test('any other country: a plain payload, in any currency', () => {
    const fields = parse(qrOf(inCountry('SG')))
    expect(fields).toMatchObject({ '00': '01', '53': '702', '58': 'SG', '60': 'SG' })
    expect(template(fields, '26')['00']).toBe('dev.paysim')
    expect(parse(qrOf(request({ country: 'KH', currency: 'USDT' })))['53']).toBe('999')
  })
})
