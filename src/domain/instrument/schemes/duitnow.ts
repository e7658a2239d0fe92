import type { QrScheme } from '../scheme.ts'
import { field } from '../tlv.ts'

const MALAYSIA = 'A0000006150001'
const UNASSIGNED_ACQUIRER = '899999'

/** DuitNow QR. PayNet's specification and its examples have format 02. */
export const duitnow: QrScheme = {
  format: '02',
  city: 'KUALA LUMPUR',
  merchantAccounts: digits =>
    field('26', field('00', MALAYSIA) + field('01', UNASSIGNED_ACQUIRER) + field('02', digits.digits(15))),
  additionalData: (_, reference) => field('05', reference),
}
