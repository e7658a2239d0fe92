import type { QrScheme } from '../scheme.ts'
import { field } from '../tlv.ts'

const NAPAS = 'A000000727'
const TRANSFER_TO_ACCOUNT = 'QRIBFTTA'
const UNASSIGNED_BANK = '970497'

/** VietQR: a transfer to an account. The payer's app fills its message from 62-08. */
export const vietqr: QrScheme = {
  format: '01',
  city: 'HANOI',
  merchantAccounts(digits) {
    const beneficiary = field('00', UNASSIGNED_BANK) + field('01', digits.digits(13))
    return field('38', field('00', NAPAS) + field('01', beneficiary) + field('02', TRANSFER_TO_ACCOUNT))
  },
  additionalData: (_, reference) => field('05', reference) + field('08', reference),
}
