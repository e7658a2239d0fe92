import type { QrScheme } from '../scheme.ts'
import { field } from '../tlv.ts'

const UNASSIGNED_BANK = 'PSIMPHM0XXX' // A 0 in the eighth place marks a test BIC.

/** QR Ph, person to merchant. The standard is not public: this is the shape of codes seen at merchants. */
export const qrph: QrScheme = {
  format: '01',
  city: 'MANILA',
  merchantAccounts(digits) {
    const merchant = field('03', digits.digits(15)) + field('05', '000')
    return field('28', field('00', 'ph.ppmi.p2m') + field('01', UNASSIGNED_BANK) + merchant)
  },
  additionalData: (digits, reference) =>
    field('00', 'ph.ppmi.qrph') + field('05', reference) + field('07', digits.digits(8)),
}
