import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Sends exact bytes that no HTTP client would send. */

export function openSocket(base: string): Socket {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

/** Sends the bytes. Resolves with the answer when it is complete, or when the connection closes. */
export function exchange(base: string, bytes: string | Uint8Array): Promise<string> {
  const socket = openSocket(base)
  let received = ''
  socket.write(bytes)
  return new Promise(resolve => {
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
      if (isWhole(received)) resolve(received)
    })
    socket.once('close', () => resolve(received))
  })
}

function isWhole(answer: string): boolean {
  const [head = '', body] = answer.split('\r\n\r\n', 2)
  const length = /^content-length: (\d+)/im.exec(head)
  return body !== undefined && length !== null && body.length >= Number(length[1])
}

/** The status of a raw answer; undefined if the connection was closed without one. */
export function statusOf(answer: string): number | undefined {
  const found = /^HTTP\/1\.1 (\d{3})/.exec(answer)
  return found ? Number(found[1]) : undefined
}
