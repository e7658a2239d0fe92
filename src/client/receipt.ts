import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { LIMITS, type RECEIPT_TYPES } from '../contract/limits.ts'
import { ReceiptError } from './errors.ts'
import type { Upload } from './transport/transport.ts'

/** A receipt image: the path of a file, or bytes. A stream is read into memory first, so that it can be sent again. */
export type ReceiptFile = string | Uint8Array | Readable

/** An image that can be read several times from the start. */
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
  // Loaded only for an image on disk.
  const { createReadStream } = await import('node:fs')
  const { openRegular, FileRefusedError } = await import('../files/regular-file.ts')
  const { file, stats } = await openRegular(path).catch(cause => {
    throw cause instanceof FileRefusedError
      ? new ReceiptError('unreadable', `${path} is not a file`)
      : unreadable(path, cause)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0)
    const { size } = stats
    return {
      size,
      path,
      start: buffer.subarray(0, bytesRead),
      // Read only as many bytes as were announced, even if the file has grown.
      open: async () => createReadStream(path, { end: Math.max(0, size - 1) }),
    }
  } finally {
    await file.close()
  }
}

function unreadable(path: string, cause: unknown): ReceiptError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const why = code === 'ENOENT' ? 'there is no such file' : String(code ?? cause)
  return new ReceiptError('unreadable', `${path} cannot be read: ${why}`)
}

async function fromBytes(bytes: Uint8Array): Promise<Source> {
  const { Readable } = await import('node:stream')
  return {
    size: bytes.byteLength,
    start: bytes.subarray(0, START_BYTES),
    open: async () => Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]),
  }
}

/** Reads only enough to detect that the stream is too long. */
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

type ImageType = (typeof RECEIPT_TYPES)[number]

const SIGNATURES: readonly { readonly type: ImageType; readonly bytes: readonly number[] }[] = [
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
]

/**
 * Detects the type of an image by its first bytes, because names and declared types can be wrong. Throws if the server
 * would refuse the image.
 */
export function checkImage({ size, start, path }: Source): ImageType {
  const name = path ?? 'the image'
  if (size === 0) throw new ReceiptError('empty', `${name} is empty`)
  if (size > LIMITS.receiptImage)
    throw new ReceiptError(
      'too_large',
      path === undefined
        ? `${name} is larger than ${LIMITS.receiptImage} bytes (5 MiB), the limit for a receipt`
        : `${name} has ${size} bytes; a receipt may have at most ${LIMITS.receiptImage} (5 MiB)`,
    )
  const found = SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => start[index] === byte))
  if (!found)
    throw new ReceiptError(
      'not_an_image',
      `${name} is neither a JPEG nor a PNG: its first bytes show another type`,
    )
  return found.type
}

export interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
}

export interface ReceiptImage {
  readonly file: ReceiptFile
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
  /** Called as the form is sent. It starts from the beginning for each attempt. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Checks the image, and makes the form that the server expects. */
export async function receiptUpload(image: ReceiptImage): Promise<Upload> {
  const source = await readSource(image.file)
  const type = checkImage(source)
  const filename = image.filename ?? (source.path === undefined ? nameFor(type) : basename(source.path))
  const contentType = image.contentType ?? type
  return {
    filename,
    contentType,
    size: source.size,
    ...(source.path === undefined ? {} : { path: source.path }),
    open: () => openForm(source, { filename, contentType }, image.onProgress),
  }
}

const nameFor = (type: string) => (type === 'image/png' ? 'receipt.png' : 'receipt.jpg')

/** The length of the form was announced: a server would wait for the rest. */
const changed = ({ path = 'the image' }: Source) =>
  new ReceiptError('unreadable', `${path} changed while it was sent: it is shorter than before`)

async function openForm(
  source: Source,
  part: { filename: string; contentType: string },
  onProgress: ReceiptImage['onProgress'],
): ReturnType<Upload['open']> {
  const [{ default: FormData }, { pipeline, Transform }, file] = await Promise.all([
    import('form-data'),
    import('node:stream'),
    source.open(),
  ])
  const form = new FormData()
  form.append('file', file, { ...part, knownLength: source.size })
  const totalBytes = form.getLengthSync()
  let sentBytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      sentBytes += chunk.length
      onProgress?.({ sentBytes, totalBytes })
      done(null, chunk)
    },
    flush: done => done(sentBytes === totalBytes ? null : changed(source)),
  })
  // The form does not destroy its parts when it is destroyed, which would leave the file open.
  const body = pipeline(form, counted, () => file.destroy())
  return { body, headers: { ...form.getHeaders(), 'content-length': String(totalBytes) } }
}
