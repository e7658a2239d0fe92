/** Longer than anybody waits, and still a time that a calendar holds. */
const LONGEST_MS = 365 * 86_400_000

/** A Retry-After header in milliseconds: seconds, or a date against the wall; null where there is none to honour. */
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
