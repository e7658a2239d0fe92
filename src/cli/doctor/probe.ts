import type { Query } from '../../client/address.ts'
import { type ClientOptions, createClient } from '../../client/create-client.ts'
import { type Answer, ApiError, NotJsonError } from '../../client/index.ts'

/** Asks, and takes whatever comes back for an answer. It only ever reads: GET and HEAD. */
export interface Probe {
  ask(path: string, query?: Query, method?: 'GET' | 'HEAD'): Promise<Answer>
  close(): Promise<void>
}

export function openProbe(options: ClientOptions, signal: AbortSignal): Probe {
  const client = createClient({ ...options, light: true })
  return {
    async ask(path, query = {}, method = 'GET') {
      try {
        return await client.request(method, path, { query, signal }).answer()
      } catch (fault) {
        if (fault instanceof ApiError || fault instanceof NotJsonError) return fault.answer
        throw fault
      }
    },
    close: () => client.close(),
  }
}

/** The code of an error, in whatever shape the server gives it. */
export { readErrorBody } from '../../client/error-body.ts'

/** What an answer says under a name, if it is an object. */
export function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
}
