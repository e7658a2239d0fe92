import type { Readable } from 'node:stream'
import { LIMITS } from '../../contract/limits.ts'
import { ReceiptError } from '../errors.ts'

/** A receipt image: a file by its path, or its bytes. A stream is read first, to be sent again if need be. */
export type ReceiptFile = string | Uint8Array | Readable

/** An image that can be read from its start, as often as it must be sent. */
export interface Source {
  readonly size: number
  readonly start: Uint8Array
  readonly path?: string
  open(): Promise<Readable>
}

const START_BYTES = 8

export async function readSource(file: ReceiptFile): Promise<Source> {
  if (typeof file === 'string') return fromDisk(file)
  return fromBytes(file instanceof Uint8Array ? file : await collect(file))
}

async function fromDisk(path: string): Promise<Source> {
  const { createReadStream } = await import('node:fs')
  const { open } = await import('node:fs/promises')
  const file = await open(path).catch(cause => refuse(path, cause))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new ReceiptError('unreadable', `${path} is not a file`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0)
    const { size } = stats
    return {
      size,
      path,
      start: buffer.subarray(0, bytesRead),
      // No further than it was measured: what is added meanwhile would break the announced length.
      open: async () => createReadStream(path, { end: Math.max(0, size - 1) }),
    }
  } finally {
    await file.close()
  }
}

function refuse(path: string, cause: unknown): never {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const why = code === 'ENOENT' ? 'there is no such file' : String(code ?? cause)
  throw new ReceiptError('unreadable', `${path} cannot be read: ${why}`)
}

async function fromBytes(bytes: Uint8Array): Promise<Source> {
  const { Readable } = await import('node:stream')
  return {
    size: bytes.byteLength,
    start: bytes.subarray(0, START_BYTES),
    open: async () => Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]),
  }
}

/** No more than shows that it is too much. */
async function collect(stream: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > LIMITS.receiptImage) break
    }
  } catch (cause) {
    throw new ReceiptError('unreadable', `the image cannot be read: ${cause}`)
  }
  return Buffer.concat(chunks)
}
