import { request } from 'undici'

/** Kept apart so that undici is loaded with the first delivery: most starts never make one. */
export async function post(url: string, headers: Record<string, string>, body: string, signal: AbortSignal) {
  const response = await request(url, { method: 'POST', headers, body, signal })
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body: response.body }
}
