import { closest } from '../../contract/closest.ts'
import { CHECKOUT_MODES } from '../../contract/requests.ts'
import { ACTION_TYPES } from '../../contract/resources.ts'
import { PAYMENT_STATUSES, PAYOUT_STATUSES } from '../../contract/statuses.ts'
import type { ReceiptStatus } from '../../domain/model.ts'

/** The possible words at each path of a record. The path of the record itself is empty. */
export type Words = Readonly<Record<string, readonly string[]>>

/** The compiler checks that the list is complete, so a new word of the model must be added here. */
export const all = <K extends string>(words: Record<K, true>) => Object.keys(words) as K[]

export const RECEIPT_STATUSES = all<ReceiptStatus>({
  required: true,
  processing: true,
  submitted: true,
  rejected: true,
})

export const PAYMENT_WORDS: Words = {
  status: PAYMENT_STATUSES,
  'receipt.status': RECEIPT_STATUSES,
  'next_action.type': ACTION_TYPES,
  checkout_mode: CHECKOUT_MODES,
}
export const PAYOUT_WORDS: Words = { status: PAYOUT_STATUSES }
export const RECEIPT_WORDS: Words = { '': RECEIPT_STATUSES, status: RECEIPT_STATUSES }

/** Explains why a record can never have this word at this path, if that is the case. */
export function unknownWord(words: Words | undefined, path: string, word: string): string | undefined {
  const known = words?.[path.replace(/\b\d+\b/g, '*')]
  if (!known || known.includes(word) || word.includes('${')) return undefined
  const meant = closest(word, known)
  const member = path.split('.').at(-1) || 'type'
  return `there is no ${member} ${word}${meant ? `; did you mean ${meant}?` : `: use one of ${known.join(', ')}`}`
}
