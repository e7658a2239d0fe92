import type { Request } from '../http/request.ts'

/**
 * A header that neither a form nor a simple request of another origin can carry; the server answers no preflight
 * request.
 */
const OWN_HEADER = 'x-paysim-dashboard'

/**
 * A browser sends a cookie with requests of any page, and SameSite does not distinguish ports of this machine. So a
 * request with a cookie must come from our own page: the browser sends its origin, and changes need a header that other
 * pages cannot set.
 */
export function comesFromOwnPage({ method, headers }: Request): boolean {
  const site = headers['sec-fetch-site']
  // Only old browsers, and pages over plain HTTP from another machine, leave the header out.
  if (site !== undefined && site !== 'same-origin') return false
  const { origin, host } = headers
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)) return false
  return method === 'GET' || headers[OWN_HEADER] === '1'
}
