import type { DigitSource } from './digits.ts'

/**
 * What a country's QR standard adds to the EMVCo frame. Identifiers here are well formed (lengths and check digits)
 * but given to nobody, so that a phone held to a test page reads a payment and can never send one.
 */
export interface QrScheme {
  /** Tag 00. EMVCo says 01; a scheme may count its own versions. */
  format: string
  /** Tags 26 to 51, encoded: who is paid. */
  merchantAccounts(digits: DigitSource, reference: string): string
  /** Tag 60. */
  city: string
  /** Tag 61, where the scheme wants it. */
  postalCode?: string
  /** The value of tag 62. The reference is in its 05 (reference label) in every scheme. */
  additionalData(digits: DigitSource, reference: string): string
  /** Whether tag 54 leaves out a fraction of zeros, as where the minor unit is not in use. */
  wholeUnits?: boolean
}
