import { connect, type Socket } from 'node:net'
import { text as readAll } from 'node:stream/consumers'

interface RawAnswer {
  status: number
  headers: string
  body: string
}

/** Writes bytes to the server's port that fetch would correct or refuse, and reads the answer. */
export async function exchange(
  baseUrl: string,
  head: string[],
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const socket = open(baseUrl)
  socket.write(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n`)
  socket.write(body)
  return parse(await readAll(socket))
}

/** The same on a connection that stays open, as most clients have it: the answer ends where it says. */
export async function exchangeKept(
  baseUrl: string,
  head: string[],
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const socket = open(baseUrl)
  const text = Buffer.from(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(Buffer.concat([text, Buffer.from(body)]))
  const isHead = head[0]?.startsWith('HEAD ') ?? false
  let received = ''
  for await (const bytes of socket.setEncoding('latin1')) {
    received += bytes
    if (isWhole(received, isHead)) break
  }
  socket.destroy()
  return parse(Buffer.from(received, 'latin1').toString())
}

function isWhole(received: string, isHead: boolean): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return false
  if (isHead || /^HTTP\/1.1 (204|304) /.test(received)) return true
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1]
  return length === undefined
    ? received.endsWith('\r\n0\r\n\r\n')
    : received.length >= end + 4 + Number(length)
}

/** Streams a body of any size until an answer arrives, and returns that answer. */
export async function pour(baseUrl: string, head: string[], size: number): Promise<RawAnswer> {
  const socket = open(baseUrl)
  const chunk = Buffer.alloc(1024 * 1024, 'a')
  let received = ''
  let over = false
  socket.setEncoding('utf8').on('data', (piece: string) => {
    received += piece
  })
  const ended = new Promise<void>(resolve => {
    const stop = () => {
      over = true
      resolve()
    }
    socket.on('close', stop).on('end', stop).on('error', stop)
  })
  socket.write(`${[...head, `Content-Length: ${size}`].join('\r\n')}\r\n\r\n`)
  for (let sent = 0; sent < size && !over && received === ''; sent += chunk.length) {
    const piece = chunk.subarray(0, Math.min(chunk.length, size - sent))
    await Promise.race([new Promise(resolve => socket.write(piece, resolve)), ended])
  }
  const answered = new Promise<void>(resolve => {
    if (received.includes('\r\n\r\n')) resolve()
    socket.on('data', () => received.includes('\r\n\r\n') && resolve())
  })
  await Promise.race([answered, ended])
  socket.destroy()
  return parse(received)
}

/** A connection that announces a body but never sends it. */
export function stall(baseUrl: string, head: string[]): Socket {
  const socket = open(baseUrl)
  socket.on('error', () => {})
  socket.write(`${[...head, 'Content-Length: 100'].join('\r\n')}\r\n\r\n{"amount":`)
  return socket
}

export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host
}

export function basic(keys: { public_key: string; secret_key: string }): string {
  return `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`
}

function open(baseUrl: string): Socket {
  const { hostname, port } = new URL(baseUrl)
  return connect(Number(port), hostname)
}

function parse(received: string): RawAnswer {
  const [headers = '', ...rest] = received.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(headers)?.[1] ?? Number.NaN)
  return { status, headers, body: rest.join('\r\n\r\n') }
}
