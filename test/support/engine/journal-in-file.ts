import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { Entry } from '../../../src/domain/events.ts'
import { FileJournal } from '../../../src/engine/journal/file-journal.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** A journal in its own file, and what it reported to its owner. */
export async function journalInFile({ sync = true, path }: { sync?: boolean; path?: string } = {}) {
  const file = path ?? join(await temporaryDirectory(), 'journal.jsonl')
  const told = { entries: [] as Entry[], failures: [] as unknown[], torn: [] as string[] }
  const journal = await FileJournal.open(file, {
    sync,
    onEntry: entry => void told.entries.push(entry),
    onFailure: cause => told.failures.push(cause),
    warn: message => told.torn.push(message),
  })
  return { journal, told, path: file, text: () => readFile(file, 'utf8') }
}

/** The methods of all file handles, so that a test can watch them or make them fail. */
export async function fileCalls(): Promise<FileHandle> {
  const handle = await open(process.execPath, 'r')
  await handle.close()
  return Object.getPrototypeOf(handle)
}

const diskFull = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

/** The next calls of a kind fail, as on a full disk. */
export async function failNext(call: 'write' | 'datasync' | 'sync' | 'truncate', times = 1) {
  const spy = vi.spyOn(await fileCalls(), call)
  for (let time = 0; time < times; time++) spy.mockRejectedValueOnce(diskFull())
  return spy
}
