import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Upload } from '../../client/index.ts'
import { UsageError } from '../errors/cli-errors.ts'

const JSON_TYPE = 'application/json'

/** A file on its way as it is: an account may be larger than fits into memory twice. */
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
    const file = await open(path)
    const stats = await file.stat().finally(() => file.close())
    if (stats.isFile()) return stats.size
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
  throw new UsageError(`${path} is not a file`)
}
