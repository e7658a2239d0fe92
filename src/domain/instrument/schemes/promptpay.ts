import { thaiTaxDigit } from '../check-digits.ts'
import type { QrScheme } from '../scheme.ts'
import { field } from '../tlv.ts'

const BILL_PAYMENT = 'A000000677010112'

/** Thai QR Payment, bill payment: biller (tax identifier and suffix), reference 1, reference 2. */
export const promptpay: QrScheme = {
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
