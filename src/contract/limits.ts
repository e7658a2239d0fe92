export const LIMITS = {
  /** Bytes of a receipt image. */
  receiptImage: 5 * 1024 * 1024,
  /** Characters of a name, a phone number, a reference. */
  textLength: 256,
  /** Bytes of any request body. A larger body gets 413 before anything else is checked. */
  body: 8 * 1024 * 1024,
  idempotencyWindowMs: 24 * 60 * 60 * 1000,
  /** How long a repeated key waits for the first request to end. */
  inFlightWaitMs: 5000,
  webhookTimeoutMs: 15_000,
  pageSize: { min: 1, max: 100, standard: 25 },
} as const

export const RECEIPT_TYPES = ['image/jpeg', 'image/png'] as const

/** Longer than anyone waits, but still a valid date. */
const LONGEST_MS = 365 * 86_400_000

/**
 * A Retry-After header in milliseconds, from seconds or from a date and the wall clock; null if there is no valid
 * one.
 */
export function parseRetryAfter(
  header: string | readonly string[] | undefined,
  wallNow: number,
): number | null {
  const text = typeof header === 'string' ? header : header?.[0]
  if (text === undefined) return null
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - wallNow), LONGEST_MS)
}
