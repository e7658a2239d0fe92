import { UsageError } from '../errors/cli-errors.ts'

/** A webhook that somebody saved, in one file or in two. */
export interface SavedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** When it was received, if that was saved too. */
  readonly receivedAt?: number
}

/** Reads headers as lines or as JSON, with or without the body. A line that `listen` printed has both. */
export function readSavedRequest(text: string, name: string): SavedRequest {
  const written = text.replace(/^\uFEFF/, '')
  if (written.trim() === '') throw new UsageError(`${name} is empty`)
  return written.trimStart().startsWith('{') ? fromJson(written, name) : fromBlock(written, name)
}

function fromJson(written: string, name: string): SavedRequest {
  const value = parse(written, name)
  const { headers, body, received_at: receivedAt } = value
  if (typeof headers !== 'object' || headers === null) return { headers: texts(value) }
  const at = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number.NaN
  return {
    headers: texts(headers as Record<string, unknown>),
    ...(typeof body === 'string' ? { body } : {}),
    ...(Number.isNaN(at) ? {} : { receivedAt: at }),
  }
}

function parse(written: string, name: string): Record<string, unknown> {
  try {
    return JSON.parse(written)
  } catch (cause) {
    const lines = written.trim().split('\n').length
    const hint = lines > 1 ? `. The file has ${lines} lines: give it only one` : ''
    throw new UsageError(
      `${name} does not contain a JSON object: ${cause instanceof Error ? cause.message : cause}${hint}`,
    )
  }
}

const texts = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ['string', 'number'].includes(typeof value) ? [[name.toLowerCase(), String(value)]] : [],
    ),
  )

const REQUEST_LINE = /^[A-Z]+ \S+(?: HTTP\/[\d.]+)?$/

/** Reads an HTTP message: perhaps a request line, then headers, then a blank line and the body. */
function fromBlock(written: string, name: string): SavedRequest {
  const [, head = written, rest] = /^(.*?)\r?\n\r?\n(.*)$/s.exec(written) ?? []
  const lines = head
    .split(/\r?\n/)
    .filter((line, at) => line !== '' && !(at === 0 && REQUEST_LINE.test(line)))
  const headers = Object.fromEntries(
    lines.map(line => {
      const [, key, value] = /^([^\s:]+):\s*(.*?)\s*$/.exec(line) ?? []
      if (key === undefined || value === undefined)
        throw new UsageError(
          `${name}: this line is not a header such as webhook-id: evt_…: ${JSON.stringify(line.slice(0, 60))}`,
        )
      return [key.toLowerCase(), value]
    }),
  )
  return rest === undefined || rest === ''
    ? { headers }
    : { headers, body: cut(rest, headers['content-length']) }
}

/** Cuts off the line break that an editor adds at the end of a file. */
function cut(body: string, length: string | undefined): string {
  const bytes = Buffer.from(body)
  return length !== undefined && Number(length) < bytes.length
    ? bytes.toString('utf8', 0, Number(length))
    : body
}
