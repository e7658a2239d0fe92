import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../errors/cli-errors.ts'

/** A whole file or none: what breaks off leaves the one of before. */
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
    if (isOfFiles(cause)) throw new UsageError(`${file} cannot be written: ${cause.message}`)
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
    // Whoever read has seen enough, as `head` does.
    if (cause instanceof Error && 'code' in cause && cause.code === 'EPIPE') return
    throw cause
  }
}

const isOfFiles = (cause: unknown): cause is Error =>
  cause instanceof Error && 'syscall' in cause && 'path' in cause
