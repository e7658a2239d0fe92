import { formatMinor, numericCodeOf } from '../../contract/currencies.ts'
import { asciiName, type DigitSource, digitSource, luhnDigit, referenceOf, thaiTaxDigit } from './digits.ts'

/**
 * What a country's QR standard adds to the EMVCo frame. Identifiers are well formed (lengths and check digits) but
 * belong to nobody, so a phone that scans a test page shows a payment and can never send it.
 */
interface QrScheme {
  /** Tag 00. EMVCo says 01; a scheme may count its own versions. */
  format: string
  /** Tags 26 to 51, encoded: who is paid. */
  merchantAccounts(digits: DigitSource, reference: string): string
  /** Tag 60. */
  city: string
  /** Tag 61, if the scheme needs it. */
  postalCode?: string
  /** The value of tag 62. The reference is in its 05 (reference label) in every scheme. */
  additionalData(digits: DigitSource, reference: string): string
  /** Whether tag 54 leaves out zero decimals, for currencies whose minor unit is not used. */
  wholeUnits?: boolean
}

const BILL_PAYMENT = 'A000000677010112'

/** Thai QR Payment, bill payment: biller (tax identifier and suffix), reference 1, reference 2. */
const promptpay: QrScheme = {
  format: '01',
  city: 'BANGKOK',
  merchantAccounts(digits, reference) {
    const taxpayer = `000${digits.digits(9)}` // 00 is the code of no province, so no company has this number.
    const biller = `${taxpayer}${thaiTaxDigit(taxpayer)}00`
    return field(
      '30',
      field('00', BILL_PAYMENT) +
        field('01', biller) +
        field('02', reference) +
        field('03', digits.digits(10)),
    )
  },
  additionalData: (digits, reference) => field('05', reference) + field('07', digits.digits(8)),
}

const UNASSIGNED_INSTITUTION = '93600000' // 9360 is Indonesia, then the institution of the National Numbering System.
const MEDIUM_ENTERPRISE = field('03', 'UME')

/** QRIS: the acquirer's merchant account in 26, the national merchant register (NMID) in 51. */
const qris: QrScheme = {
  format: '01',
  city: 'JAKARTA PUSAT',
  postalCode: '10110',
  wholeUnits: true,
  merchantAccounts(digits) {
    const merchant = digits.digits(9)
    const account = UNASSIGNED_INSTITUTION + merchant
    const nationalId = `ID1000${digits.digits(9)}` // 10, then the year of entry: no merchant was entered in 2000.
    return (
      field(
        '26',
        field('00', 'ID.CO.PAYSIM.WWW') +
          field('01', account + luhnDigit(account)) +
          field('02', merchant) +
          MEDIUM_ENTERPRISE,
      ) + field('51', field('00', 'ID.CO.QRIS.WWW') + field('02', nationalId) + MEDIUM_ENTERPRISE)
    )
  },
  additionalData: (_, reference) => field('05', reference) + field('07', 'A01'),
}

const NAPAS = 'A000000727'
const TRANSFER_TO_ACCOUNT = 'QRIBFTTA'
const UNASSIGNED_VIETNAMESE_BANK = '970497'

/** VietQR: a transfer to an account. The payer's app fills its message from 62-08. */
const vietqr: QrScheme = {
  format: '01',
  city: 'HANOI',
  merchantAccounts(digits) {
    const beneficiary = field('00', UNASSIGNED_VIETNAMESE_BANK) + field('01', digits.digits(13))
    return field('38', field('00', NAPAS) + field('01', beneficiary) + field('02', TRANSFER_TO_ACCOUNT))
  },
  additionalData: (_, reference) => field('05', reference) + field('08', reference),
}

const UNASSIGNED_PHILIPPINE_BANK = 'PSIMPHM0XXX' // A 0 in the eighth place marks a test BIC.

/** QR Ph, person to merchant. The standard is not public: this is the shape of codes seen at merchants. */
const qrph: QrScheme = {
  format: '01',
  city: 'MANILA',
  merchantAccounts(digits) {
    const merchant = field('03', digits.digits(15)) + field('05', '000')
    return field('28', field('00', 'ph.ppmi.p2m') + field('01', UNASSIGNED_PHILIPPINE_BANK) + merchant)
  },
  additionalData: (digits, reference) =>
    field('00', 'ph.ppmi.qrph') + field('05', reference) + field('07', digits.digits(8)),
}

const MALAYSIA = 'A0000006150001'
const UNASSIGNED_ACQUIRER = '899999'

/** DuitNow QR. PayNet's specification and its examples have format 02. */
const duitnow: QrScheme = {
  format: '02',
  city: 'KUALA LUMPUR',
  merchantAccounts: digits =>
    field('26', field('00', MALAYSIA) + field('01', UNASSIGNED_ACQUIRER) + field('02', digits.digits(15))),
  additionalData: (_, reference) => field('05', reference),
}

/** Any other country: the EMVCo frame under paysim's own identifier. */
function plainScheme(country: string): QrScheme {
  return {
    format: '01',
    city: country, // A city is mandatory, and any city would do.
    merchantAccounts: digits => field('26', field('00', 'dev.paysim') + field('01', digits.digits(15))),
    additionalData: (_, reference) => field('05', reference),
  }
}

interface QrRequest {
  paymentId: string
  country: string
  currency: string
  amount: string
  payee: string
}

const SCHEMES: ReadonlyMap<string, QrScheme> = new Map([
  ['TH', promptpay],
  ['VN', vietqr],
  ['ID', qris],
  ['PH', qrph],
  ['MY', duitnow],
])

const DYNAMIC = '12' // Made for one payment.
const RETAIL = '5999'
const NO_CURRENCY = '999' // The number of XXX in ISO 4217, for currencies that are not listed.
const LONGEST_AMOUNT = 13
const LONGEST_NAME = 25

/** An EMVCo merchant-presented payload, as the payer's bank would read it. */
export function makeQrPayload(request: QrRequest): string {
  const scheme = SCHEMES.get(request.country) ?? plainScheme(request.country)
  const digits = digitSource(request.paymentId, 'qr')
  const reference = referenceOf(request.paymentId)
  const payload =
    field('00', scheme.format) +
    field('01', DYNAMIC) +
    scheme.merchantAccounts(digits, reference) +
    field('52', RETAIL) +
    field('53', numericCodeOf(request.currency) ?? NO_CURRENCY) +
    amountField(request, scheme) +
    field('58', request.country) +
    field('59', asciiName(request.payee, LONGEST_NAME, 'MERCHANT')) +
    field('60', scheme.city) +
    (scheme.postalCode === undefined ? '' : field('61', scheme.postalCode)) +
    field('62', scheme.additionalData(digits, reference)) +
    '6304'
  return payload + crc16(payload)
}

/** The amount is left out if it does not fit, and the payer then types it. A shortened amount would be wrong. */
function amountField({ amount, currency }: QrRequest, scheme: QrScheme): string {
  const decimal = formatMinor(amount, currency)
  const value = scheme.wholeUnits ? decimal.replace(/\.0+$/, '') : decimal
  return value.length > LONGEST_AMOUNT ? '' : field('54', value)
}

/** One data object: two digits of ID, two of length, the value. A template is a value made of data objects. */
export function field(id: string, value: string): string {
  // A longer value would shift everything after it, and a payment app would read another payment.
  if (value.length === 0 || value.length > 99) throw new RangeError(`tag ${id}: ${value.length} characters`)
  return id + String(value.length).padStart(2, '0') + value
}

const REMAINDERS = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 0x8000 ? (remainder << 1) ^ 0x1021 : remainder << 1
  return remainder
})

/** CRC-16/CCITT-FALSE (polynomial 1021, start FFFF) of ASCII text, as the four letters that EMVCo puts in tag 63. */
export function crc16(ascii: string): string {
  let crc = 0xffff
  for (let i = 0; i < ascii.length; i++) {
    const remainder = REMAINDERS[((crc >> 8) ^ ascii.charCodeAt(i)) & 0xff] ?? 0
    crc = ((crc << 8) ^ remainder) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
