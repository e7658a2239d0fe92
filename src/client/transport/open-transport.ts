import type { WireAnswer } from '../../contract/wire-answer.ts'
import { isLoopback } from '../address.ts'
import { ArgumentError, ClientError } from '../errors.ts'
import { coded, connectionError } from './connection-error.ts'
import { nodeHttp, notYet } from './node-transport.ts'
import { LONGEST_ANSWER_BYTES, type OpenAnswer, type Transport, type WireRequest } from './transport.ts'

export interface NetworkOptions {
  /** The time limit for an answer to start, and again for it to end; 30 s by default. */
  readonly timeoutMs?: number | undefined
  /** Certificate authorities to trust instead of the default ones, as PEM. */
  readonly ca?: string | undefined
  /**
   * A proxy to use, whatever the environment says; false for none. By default HTTP_PROXY, HTTPS_PROXY and NO_PROXY
   * apply.
   */
  readonly proxy?: string | false | undefined
}

const TIMEOUT_MS = 30_000
const LONGEST_CONNECT_MS = 10_000

/** The connections to an origin. Several clients may share them. */
export interface Connections {
  /** The client's view of them. Its `close` waits for its own calls, and then closes what it was told to. */
  transport(closeWith?: () => void | Promise<void>): Transport
  close(): Promise<void>
}

/** Chooses how to reach an origin, so that invalid settings fail at once. The first request opens a connection. */
export function openConnections(origin: string, options: NetworkOptions): Connections {
  const { timeoutMs = TIMEOUT_MS, ca } = options
  const proxy = chooseProxy(new URL(origin), options.proxy, process.env)
  const connectTimeoutMs = Math.min(timeoutMs, LONGEST_CONNECT_MS)
  const settings = { origin, timeoutMs, connectTimeoutMs, ca, proxy }
  const limits = { connectMs: connectTimeoutMs, headersMs: timeoutMs, bodyMs: timeoutMs }
  const http = nodeHttp(settings)

  async function exchange(
    request: WireRequest,
    isClosed: boolean,
    signal?: AbortSignal,
  ): Promise<WireAnswer> {
    const progress = notYet()
    try {
      if (isClosed) throw coded('CLOSED')
      return await readWhole(await http.open(request, { signal, progress, limits }))
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      // What was to be sent could not be read.
      if (cause instanceof ClientError) throw cause
      throw connectionError(cause, { ...settings, sent: progress.sent, method: request.method })
    }
  }

  return {
    transport(closeWith = () => {}) {
      const underWay = new Set<Promise<WireAnswer>>()
      let closed = false
      return {
        send(request, signal) {
          const answer = exchange(request, closed, signal)
          underWay.add(answer)
          const ended = () => void underWay.delete(answer)
          answer.then(ended, ended)
          return answer
        },
        async close() {
          closed = true
          await Promise.allSettled(underWay)
          await closeWith()
        },
      }
    },
    close: () => http.close(),
  }
}

/** A client's own connections. */
export function openTransport(origin: string, options: NetworkOptions): Transport {
  const connections = openConnections(origin, options)
  return connections.transport(connections.close)
}

/** With listeners, because to iterate over a stream takes a multiple of their time. */
function readWhole({ status, headers, body }: OpenAnswer): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    body.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > LONGEST_ANSWER_BYTES) return void body.destroy(coded('BODY_TOO_LONG'))
      chunks.push(chunk)
    })
    body.on('end', () => resolve({ status, headers, text: Buffer.concat(chunks).toString('utf8') }))
    body.on('error', reject)
    body.on('close', () => body.readableEnded || reject(coded('ECONNRESET')))
  })
}

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The proxy for a target: the given one, otherwise that of the environment, with the rules of curl. A proxy of the
 * environment is never used for this machine, because it would look for the simulator on its own machine.
 */
export function chooseProxy(
  target: URL,
  asked: string | false | undefined,
  variables: Variables,
): URL | undefined {
  if (asked === false) return undefined
  if (asked !== undefined) return readProxy(asked, 'the proxy')
  if (isLoopback(target.hostname) || isExempt(target, of(variables, 'no_proxy'))) return undefined
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const found = of(variables, name)
  return found === undefined ? undefined : readProxy(found, name.toUpperCase())
}

function of(variables: Variables, name: string): string | undefined {
  const value = (variables[name] ?? variables[name.toUpperCase()])?.trim()
  return value === '' ? undefined : value
}

function readProxy(text: string, from: string): URL {
  const spelled = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(spelled) ? new URL(spelled) : undefined
  // Do not repeat the value: it may contain a password.
  if (!url || !/^https?:$/.test(url.protocol)) throw new ArgumentError(`${from} is not an http or https URL`)
  return url
}

/** `*`, `example.com` and `.example.com` (both include subdomains), `10.0.0.7`, each with or without a port. */
function isExempt({ hostname, port, protocol }: URL, list = ''): boolean {
  const targetPort = port || (protocol === 'https:' ? '443' : '80')
  const host = hostname.replace(/\.$/, '').toLowerCase()
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .some(entry => {
      if (entry === '*') return true
      const [, name = entry, onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (onlyPort !== undefined && onlyPort !== targetPort) return false
      const bare = name.replace(/^\*?\./, '')
      return host === bare || host.endsWith(`.${bare}`)
    })
}
