import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Contract } from '../../contract/decisions.ts'
import { invalid, type Rejection, rejection, renderError } from '../../contract/errors.ts'
import { dateNow } from './reply.ts'

/** Why the bytes on a connection are no request. `CONNECT` is a request for a tunnel; the other codes are those of Node. */
export type ClientError = Error & { readonly code?: string }

export const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'

const unread = (status: number, message: string): Rejection => ({
  ...invalid([{ field: 'request', message }]),
  status,
})

function reasonOf({ code }: ClientError): Rejection {
  switch (code) {
    case LATE:
      return unread(408, 'was not sent in time')
    case 'HPE_HEADER_OVERFLOW':
      return unread(431, 'has a head that is too large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return rejection('payload_too_large', 'The chunks of the body have extensions that are too long')
    case 'CONNECT':
      return rejection('method_not_allowed', 'CONNECT is not allowed: this server is no proxy')
    default:
      return unread(400, 'is not well-formed HTTP')
  }
}

/** Answers what no handler can answer, because it is not a whole request, and ends the connection. */
export function refuseUnread(
  contract: Contract,
  requestId: string,
  error: ClientError,
  socket: Duplex,
): void {
  const { status, body, contentType } = renderError(contract, reasonOf(error), requestId)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `request-id: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    ...(status === 405 ? [`allow: ${ALLOWED}`] : []),
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${dateNow()}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The methods of this server. Each path has some of them. */
const ALLOWED = 'GET, HEAD, POST, PUT, PATCH, DELETE'
