import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../processes.ts'

const NAME = /^paysim-store-(\d+)-/

/** A private folder for copies of what the database has. Those of processes that were killed are removed. */
export async function makeWorkingFolder(parent = tmpdir()): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = NAME.exec(name)?.[1]
    // One of another user cannot be removed, and is theirs to remove.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => {})
  }
  return mkdtemp(join(parent, `paysim-store-${process.pid}-`))
}
