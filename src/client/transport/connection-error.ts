import { formatDuration } from '../../contract/durations.ts'
import { isLoopback } from '../address.ts'
import { ArgumentError, ConnectError, TimeoutError, type TimeoutPhase } from '../errors.ts'
import { isRead } from '../retry.ts'
import { LONGEST_ANSWER_BYTES, type TransportSettings } from './transport.ts'

/** What the client was doing when the error happened. */
export interface Attempted extends TransportSettings {
  readonly sent: boolean
  readonly method: string
}

/** An error that only this code knows. */
export const coded = (code: string) => Object.assign(new Error(code), { code })

/** A proxy answered, but did not pass the request on. */
export class ProxyRefusal extends Error {
  readonly code = 'ABORTED_BY_PROXY'
  constructor(readonly status: number) {
    super(`the proxy answered ${status}`)
  }
}

/** Translates an error of Node or OpenSSL into a message that says what to do. The original text may contain secrets. */
export function connectionError(cause: unknown, attempted: Attempted): Error {
  const code = codeOf(cause)
  if (INVALID_ARGUMENTS.has(code)) return invalidArgument(cause, attempted)
  const phase = PHASES[code]
  if (phase) return timedOut(code, phase, attempted)
  const { origin, sent } = attempted
  const permanent =
    isCertificateError(code) || isProtocolError(code) || code === 'BODY_TOO_LONG' || code === 'CLOSED'
  return new ConnectError(`${origin}${via(attempted)} ${advice(code, cause, attempted)}`, {
    code,
    sent,
    permanent,
  })
}

const INVALID_ARGUMENTS = new Set(['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN', 'ERR_UNESCAPED_CHARACTERS'])

const PHASES: Readonly<Record<string, TimeoutPhase>> = {
  CONNECT_TIMEOUT: 'connect',
  HEADERS_TIMEOUT: 'headers',
  BODY_TIMEOUT: 'body',
  ETIMEDOUT: 'connect',
}

function timedOut(code: string, phase: TimeoutPhase, attempted: Attempted): TimeoutError {
  const { origin, sent, timeoutMs, connectTimeoutMs } = attempted
  const message =
    phase === 'connect'
      ? `did not accept a connection within ${formatDuration(connectTimeoutMs)}: check the address, the network and the proxy`
      : `accepted the request but did not answer ${phase === 'body' ? 'completely ' : ''}within ${formatDuration(timeoutMs)}${perhapsDone(attempted)}`
  return new TimeoutError(`${origin}${via(attempted)} ${message}`, { code, sent }, phase)
}

function advice(code: string, cause: unknown, attempted: Attempted): string {
  const { origin, sent, proxy } = attempted
  if (code === 'ECONNREFUSED') {
    if (proxy) return 'cannot be reached: the proxy refused the connection; is it running?'
    return isLoopback(new URL(origin).hostname)
      ? 'refused the connection: nothing listens there; `paysim serve` starts a simulator'
      : 'refused the connection: check the base URL and its port'
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'has a host name that was not found: check the base URL, and the network'
  if (isCertificateError(code))
    return `has a certificate that is not trusted (${code}): give the certificate authority as \`ca\` (--ca-file)`
  if (isProtocolError(code)) return `does not speak TLS (${code}): is it an http:// address?`
  if (cause instanceof ProxyRefusal)
    return `was not reached: the proxy did not open a connection to it (${cause.status}); check the proxy and its credentials`
  if (code === 'CLOSED') return 'was not called: this client is closed'
  if (code.startsWith('HPE_')) return `gave an answer that is not HTTP (${code}): check the port`
  if (code === 'BODY_TOO_LONG')
    return `sent too long an answer: more than ${LONGEST_ANSWER_BYTES / 1024 / 1024} MiB arrived; is the base URL the address of the API?${perhapsDone(attempted)}`
  if (!sent) return `could not be reached (${code}): check the base URL, and the network`
  return `closed the connection before its answer was complete (${code})${perhapsDone(attempted)}`
}

/** A failed read is safe to repeat. */
const perhapsDone = ({ sent, method }: Attempted) =>
  sent && !isRead(method) ? '; the call may have been carried out anyway: check before you repeat it' : ''

const via = ({ proxy }: Attempted) => (proxy ? ` (through the proxy ${proxy.host})` : '')

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'UNKNOWN'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}

const isCertificateError = (code: string) => /CERT|^UNABLE_TO_|^ERR_TLS_CERT|SELF_SIGNED|^CRL_/.test(code)
const isProtocolError = (code: string) => /^(?:ERR_SSL_|EPROTO$)/.test(code)

function invalidArgument(cause: unknown, attempted: Attempted): Error {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new ArgumentError(`the call to ${attempted.origin} cannot be made: ${message}`)
}
