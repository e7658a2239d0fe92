import { UsageError } from '../errors/cli-errors.ts'

/** A webhook that somebody kept: in a file of its own, or in two. */
export interface SavedRequest {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** When it came, where that was kept too. */
  readonly receivedAt?: number
}

/** Headers as lines or as JSON, with the body or without; a line that `listen` printed is both. */
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
    const hint = lines > 1 ? `; of the ${lines} lines that it has, give one` : ''
    throw new UsageError(
      `${name} holds no JSON object: ${cause instanceof Error ? cause.message : cause}${hint}`,
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

/** As it went over the wire: a request line perhaps, headers, and after a blank line the body. */
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
          `${name}: a header is wanted, as webhook-id: evt_…, and not ${JSON.stringify(line.slice(0, 60))}`,
        )
      return [key.toLowerCase(), value]
    }),
  )
  return rest === undefined || rest === ''
    ? { headers }
    : { headers, body: cut(rest, headers['content-length']) }
}

/** Editors end a file with a line break that no sender sent. */
function cut(body: string, length: string | undefined): string {
  const bytes = Buffer.from(body)
  return length !== undefined && Number(length) < bytes.length
    ? bytes.toString('utf8', 0, Number(length))
    : body
}
