import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { openPrivate } from '../private-files.ts'

/** The lines of a layer's records, which never change. Whoever reads past the end gets less than was asked for. */
export interface RecordBytes {
  readonly size: number
  /** At once, because whoever decides or shows something cannot wait. */
  readNow(offset: number, length: number): Buffer
  /** For much that is read from start to end, beside other work. */
  read(offset: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

export type OpenRecordBytes = (path: string) => Promise<RecordBytes>

/** As a file of their own: a record is in the system's cache, or one read away. */
export const openRecordFile: OpenRecordBytes = async path => {
  const handle = await openPrivate(path, 'read')
  try {
    return new RecordFile(handle, (await handle.stat()).size)
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

export class RecordFile implements RecordBytes {
  constructor(
    private readonly handle: FileHandle,
    readonly size: number,
  ) {}

  readNow(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(this.handle.fd, bytes, 0, length, offset))
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.handle.read(bytes, 0, length, offset)
    return bytes.subarray(0, bytesRead)
  }

  /** Nothing is lost by it: the file was only read. */
  async close(): Promise<void> {
    await this.handle.close().catch(() => {})
  }
}
