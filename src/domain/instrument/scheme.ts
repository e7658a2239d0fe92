import type { DigitSource } from './digits.ts'

/**
 * What a country's QR standard adds to the EMVCo frame. Identifiers are well formed (lengths and check digits) but
 * belong to nobody, so a phone that scans a test page shows a payment and can never send it.
 */
export interface QrScheme {
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
