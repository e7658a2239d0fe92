import type { Socket } from 'node:net'
import type { Address } from '../../client/address.ts'

export interface Way {
  readonly address: Address
  /** Where connections go, if not to the address itself. */
  readonly proxy: URL | undefined
  readonly ca: string | undefined
  readonly timeoutMs: number
}

/** Where a connection goes. */
export interface End {
  readonly host: string
  readonly port: number
}

/** Settles once the socket says so, or fails as it does. */
export function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket
      .once(event, () => resolve())
      .once('error', reject)
      .once('timeout', () => reject(Object.assign(new Error('no answer in time'), { code: 'TIMEOUT' })))
  })
}

export function codeOf(cause: unknown): string {
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause
  return inner instanceof Error && 'code' in inner && typeof inner.code === 'string'
    ? inner.code
    : String(cause)
}
