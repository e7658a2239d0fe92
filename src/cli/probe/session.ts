import { Readable } from 'node:stream'
import { join, type Query, readBaseUrl } from '../../client/address.ts'
import { answerOf } from '../../client/answer.ts'
import { basic, type Keys, refuseUnsafe } from '../../client/credentials.ts'
import { ConnectError } from '../../client/errors.ts'
import { isPassing, isRead, retryAfter, type Sleep, sleep } from '../../client/retry.ts'
import { type NetworkOptions, openTransport } from '../../client/transport/open-transport.ts'
import type { Answer, Upload } from '../../client/transport/transport.ts'
import { PROBE_AGENT } from '../../contract/paths.ts'
import { redact, urlWithoutSecrets } from '../../contract/redact.ts'

/** One request of a probe. */
export interface Outgoing {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly path: string
  readonly query?: Query
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Sent as the field `file` of a form. */
  readonly file?: Buffer
  readonly key?: string
  /** Sent with keys that nobody has. */
  readonly asNobody?: true
}

/** A request and its answer as they are shown and kept, without secrets. */
export interface Evidence {
  readonly request: string
  readonly answer: string
  readonly at: string
}

export interface Exchange {
  readonly answer: Answer
  readonly evidence: Evidence
}

export interface SessionOptions extends NetworkOptions {
  readonly baseUrl: string
  readonly keys: Keys
  readonly signal: AbortSignal
  /** How often a request is repeated that the server could not take; 3 by default. */
  readonly retries?: number | undefined
  /** How long all pauses that the server asks for may take together. */
  readonly patienceMs: number
  /** Waiting, for tests that need not wait. */
  readonly sleep?: Sleep | undefined
}

/** Sends requests one at a time, and reads every answer, errors too. It follows no redirect. */
export interface Session {
  send(outgoing: Outgoing): Promise<Exchange>
  /** How many requests were sent, repeated ones too. */
  readonly requests: number
  readonly sleep: Sleep
  /** A text without keys, other secrets and account numbers. */
  hide(text: string): string
  close(): Promise<void>
}

/** The server, or the limits of the probe, allow no more requests. The message says which. */
export class ProbeEndedError extends Error {}

/** More than every question needs together. */
const MOST_REQUESTS = 80
const MOST_MINUTES = 5
const RETRIES = 3
const PAUSE_MS = 500
const LONGEST_PAUSE_MS = 60_000
const CHARACTERS_READ = 10_000
const CHARACTERS_KEPT = 800

/** They look like keys, but no server accepts them. */
export const NOBODY: Keys = {
  publicKey: 'pk_test_paysim_doctor_nobody',
  secretKey: 'sk_test_paysim_doctor_nobody',
}

export function openSession({
  baseUrl,
  keys,
  signal,
  retries = RETRIES,
  ...options
}: SessionOptions): Session {
  const address = readBaseUrl(baseUrl)
  refuseUnsafe(keys, address)
  const [own, nobody] = [basic(keys), basic(NOBODY)]
  const transport = openTransport(address.origin, options)
  const wait = options.sleep ?? sleep
  const startedAt = performance.now()
  const hide = (text: string) => own.hide(redact(own.hide(text)))
  let { patienceMs } = options
  let requests = 0

  async function attempt(outgoing: Outgoing, number: number): Promise<Exchange> {
    if (requests === MOST_REQUESTS) throw new ProbeEndedError(`${MOST_REQUESTS} requests were sent`)
    if (performance.now() - startedAt > MOST_MINUTES * 60_000)
      throw new ProbeEndedError(`${MOST_MINUTES} minutes are over`)
    requests++
    const { method, path, query, body, file, key, asNobody } = outgoing
    const at = new Date().toISOString()
    const json = body === undefined ? undefined : JSON.stringify(body)
    const wire = {
      method,
      origin: address.origin,
      path: join(address, path, query),
      headers: {
        accept: 'application/json, application/problem+json',
        'accept-encoding': 'identity',
        'user-agent': PROBE_AGENT,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        authorization: (asNobody ? nobody : own).authorization,
      },
      ...(json === undefined ? {} : { body: json }),
      ...(file === undefined ? {} : { body: formWith(file) }),
    }
    const answer = answerOf(await transport.send(wire, signal), number)
    const shown = (text: string) => hide(text.slice(0, CHARACTERS_READ)).slice(0, CHARACTERS_KEPT)
    const request = [
      `${method} ${urlWithoutSecrets(wire.path)}`,
      ...(json === undefined ? [] : [shown(json)]),
      ...(file === undefined ? [] : [`(a file of ${file.length} bytes)`]),
      ...(key === undefined ? [] : [`(Idempotency-Key: ${key})`]),
      ...(asNobody ? ['(with keys that nobody has)'] : []),
    ]
    const { allow, location } = answer.headers
    const headers = [
      ...(allow === undefined ? [] : [`(Allow: ${allow})`]),
      ...(location === undefined ? [] : [`(Location: ${urlWithoutSecrets(location)})`]),
    ]
    const told = [String(answer.status), ...headers.map(shown), shown(answer.text)]
    return { answer, evidence: { request: request.join(' '), answer: told.join(' ').trimEnd(), at } }
  }

  /** Repeats a request that the server could not take: as it asks, as long as the patience lasts. */
  async function send(outgoing: Outgoing): Promise<Exchange> {
    for (let number = 1; ; number++) {
      const isLast = number > retries
      const exchange = await attempt(outgoing, number).catch(error => {
        if (isLast || !isWorthAnother(error, outgoing)) throw error
      })
      const pause = (exchange && retryAfter(exchange.answer)) ?? PAUSE_MS * number
      const isFinal = isLast || pause > patienceMs
      if (exchange && (isFinal || !mayComeBack(exchange.answer, outgoing))) return exchange
      patienceMs -= pause
      await wait(Math.min(pause, LONGEST_PAUSE_MS), signal)
    }
  }

  return {
    send,
    get requests() {
      return requests
    },
    sleep: wait,
    hide,
    close: () => transport.close(),
  }
}

/** A 429 was not carried out, so any request may be sent again. After other failures, only a read may. */
const mayComeBack = ({ status }: Answer, { method }: Outgoing) =>
  status === 429 || (isPassing(status) && isRead(method))

const isWorthAnother = (error: unknown, { method }: Outgoing) =>
  error instanceof ConnectError && !error.permanent && isRead(method)

/** The client's own form refuses what is not an image, which is what a probe must send. */
function formWith(file: Buffer): Upload {
  const boundary = 'paysim-probe-boundary'
  const bytes = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="receipt.png"\r\ncontent-type: image/png\r\n\r\n`,
    ),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(bytes.length),
  }
  return {
    filename: 'receipt.png',
    contentType: 'image/png',
    size: file.length,
    open: async () => ({ headers, body: Readable.from([bytes]) }),
  }
}
