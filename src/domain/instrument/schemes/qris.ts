import { luhnDigit } from '../check-digits.ts'
import type { QrScheme } from '../scheme.ts'
import { field } from '../tlv.ts'

const UNASSIGNED_INSTITUTION = '93600000' // 9360 is Indonesia, then the institution of the National Numbering System.
const MEDIUM_ENTERPRISE = field('03', 'UME')

/** QRIS: the acquirer's merchant account in 26, the national merchant register (NMID) in 51. */
export const qris: QrScheme = {
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
