import type { Request } from '../http/request.ts'

/** No form and no simple request of another page can carry it, and none is answered when it asks whether it may. */
const OWN_HEADER = 'x-paysim-dashboard'

/**
 * A cookie is sent for whatever page makes the request, and SameSite does not tell another port of this machine from
 * ours. So what a cookie opens has to come from our own page: the browser says where from, and whatever changes
 * something brings a header that other pages cannot set.
 */
export function comesFromOwnPage({ method, headers }: Request): boolean {
  const site = headers['sec-fetch-site']
  // Only a browser too old for it, or on plain HTTP by the name of another machine, leaves it out.
  if (site !== undefined && site !== 'same-origin') return false
  const { origin, host } = headers
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)) return false
  return method === 'GET' || headers[OWN_HEADER] === '1'
}
