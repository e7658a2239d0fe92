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
