import { digitSource } from './digits.ts'

/** What the payer writes beside the money, twelve letters: among a million intents, two alike in 1 case of 100,000. */
export function referenceOf(paymentId: string): string {
  return digitSource(paymentId, 'reference').code(12)
}

/** In groups of four, as people read and type it. */
export function spokenReference(reference: string): string {
  return `${reference.slice(0, 4)}-${reference.slice(4, 8)}-${reference.slice(8)}`
}
