import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { openPrivate } from '../private-files.ts'

/** The lines of a layer's records, which never change. A read past the end returns fewer bytes. */
export interface RecordBytes {
  readonly size: number
  /** Synchronous, because decisions and views cannot wait. */
  readNow(offset: number, length: number): Buffer
  /** Reads everything from start to end, while other work continues. */
  read(offset: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

export type OpenRecordBytes = (path: string) => Promise<RecordBytes>

/** In a file: a record is in the system's cache, or takes one read. */
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

  /** An error is ignored, because the file was only read. */
  async close(): Promise<void> {
    await this.handle.close().catch(() => {})
  }
}
