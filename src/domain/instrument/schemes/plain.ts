import type { QrScheme } from '../scheme.ts'
import { field } from '../tlv.ts'

/** Any other country: the EMVCo frame under paysim's own identifier. */
export function plainScheme(country: string): QrScheme {
  return {
    format: '01',
    city: country, // A city is mandatory, and any city would do.
    merchantAccounts: digits => field('26', field('00', 'dev.paysim') + field('01', digits.digits(15))),
    additionalData: (_, reference) => field('05', reference),
  }
}
