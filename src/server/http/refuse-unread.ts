import type { Duplex } from 'node:stream'
import type { Contract } from '../../contract/decisions.ts'
import { renderError } from '../../contract/error-body.ts'
import { invalid } from '../../contract/errors.ts'

/** Answers invalid or incomplete HTTP. */
export function refuseUnread(
  contract: Contract,
  requestId: string,
  error: Error & { readonly code?: string },
  socket: Duplex,
): void {
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const status = late ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
  const message = late ? 'was not sent in time' : 'is not well-formed HTTP'
  const reason = { ...invalid([{ field: 'request', message }]), status }
  const { body, contentType } = renderError(contract, reason, requestId)
  const head = [
    `HTTP/1.1 ${status} Refused`,
    `request-id: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
