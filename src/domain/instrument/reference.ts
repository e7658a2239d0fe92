import { digitSource } from './digits.ts'

/**
 * The payment reference that the payer enters: twelve letters, so a million intents have a collision with a
 * probability of 1 in 100,000.
 */
export function referenceOf(paymentId: string): string {
  return digitSource(paymentId, 'reference').code(12)
}

/** In groups of four, as people read and type it. */
export function groupedReference(reference: string): string {
  return `${reference.slice(0, 4)}-${reference.slice(4, 8)}-${reference.slice(8)}`
}
