import type { Readable } from 'node:stream'
import type { WireRequest } from './transport.ts'

/** The body of one attempt. A file is opened for each attempt and closed after it. */
export interface Payload {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Readable | undefined
  readonly release: () => void
}

export async function openPayload({ headers, body }: WireRequest): Promise<Payload> {
  if (typeof body !== 'object') return { headers, body, release: () => {} }
  const opened = await body.open()
  return {
    headers: { ...headers, ...opened.headers },
    body: opened.body,
    release: () => opened.body.destroy(),
  }
}
