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
