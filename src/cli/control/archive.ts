import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Upload } from '../../client/index.ts'
import { FileRefusedError, openRegular } from '../../files/regular-file.ts'
import { messageOf, UsageError } from '../errors/cli-errors.ts'

/** The file of an exported account: it may be too large for memory, so it is read and written as a stream. */

const JSON_TYPE = 'application/json'

export async function archiveUpload(path: string): Promise<Upload> {
  if (path === '-') return uploadOf(path, { size: Number.NaN, headers: {}, body: () => process.stdin })
  const size = await sizeOf(path)
  return uploadOf(path, {
    size,
    headers: { 'content-length': String(size) },
    body: () => createReadStream(path, { end: Math.max(0, size - 1) }),
  })
}

interface Source {
  readonly size: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: () => NodeJS.ReadableStream
}

const uploadOf = (path: string, { size, headers, body }: Source): Upload => ({
  path,
  filename: path,
  contentType: JSON_TYPE,
  size,
  fields: 'none',
  open: async () => ({
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: body() as Awaited<ReturnType<Upload['open']>>['body'],
  }),
})

async function sizeOf(path: string): Promise<number> {
  try {
    const { file, stats } = await openRegular(path)
    await file.close()
    return stats.size
  } catch (cause) {
    if (cause instanceof FileRefusedError) throw new UsageError(`${path} is not a file`)
    throw new UsageError(`${path} cannot be read: ${messageOf(cause)}`)
  }
}

/** Writes the whole file or leaves the old one unchanged. */
export async function writeArchive(
  body: Readable,
  file: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (file === undefined || file === '-') return toStdout(body, signal)
  const draft = `${file}.${process.pid}.part`
  try {
    await pipeline(body, createWriteStream(draft, { mode: 0o600 }), { signal })
    await rename(draft, file)
  } catch (cause) {
    await rm(draft, { force: true })
    signal.throwIfAborted()
    if (isFileError(cause)) throw new UsageError(`${file} cannot be written: ${cause.message}`)
    throw cause
  }
  process.stderr.write(`${file} written\n`)
}

async function toStdout(body: Readable, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(body, process.stdout, { signal, end: false })
    process.stdout.write('\n')
  } catch (cause) {
    signal.throwIfAborted()
    // The reader, such as `head`, has seen enough.
    if (cause instanceof Error && 'code' in cause && cause.code === 'EPIPE') return
    throw cause
  }
}

const isFileError = (cause: unknown): cause is Error =>
  cause instanceof Error && 'syscall' in cause && 'path' in cause
