import { Agent, request } from 'undici'

/** One request as it leaves. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** What came back; `lost` is why nothing whole did. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; undefined where it is none. */
  readonly body: unknown
  readonly lost?: string
}

/** The server could not be reached at all: no story can be told. */
export class ConnectionError extends Error {}

/**
 * HTTP as it is: one request, one answer, nothing tried again and nothing smoothed over, since what goes wrong on
 * the wire is part of the story.
 */
export class Wire {
  readonly #agent = new Agent({ keepAliveTimeout: 4000 })

  async send({ method, url, headers, body }: Sent): Promise<Answer> {
    const target = new URL(url)
    try {
      const response = await request(target, {
        dispatcher: this.#agent,
        method: method as 'GET',
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const text = await response.body.text()
      return { status: response.statusCode, headers: single(response.headers), text, body: parse(text) }
    } catch (cause) {
      const why = codeOf(cause)
      if (why === 'ECONNREFUSED' || why === 'ENOTFOUND')
        throw new ConnectionError(`${target.origin} cannot be reached: ${why}`)
      return { status: 0, headers: {}, text: '', body: undefined, lost: why }
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

const single = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
