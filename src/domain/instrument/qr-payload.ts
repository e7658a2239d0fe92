import { formatMinor, numericCodeOf } from '../../contract/currencies.ts'
import { asciiName } from './ascii.ts'
import { crc16 } from './crc.ts'
import { digitSource } from './digits.ts'
import { duitnow, plainScheme, promptpay, type QrScheme, qris, qrph, vietqr } from './qr-schemes.ts'
import { referenceOf } from './reference.ts'
import { field } from './tlv.ts'

export interface QrRequest {
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
