import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from '../processes.ts'

const NAME = /^paysim-store-(\d+)-/

/** A private folder for copies of data in the database. Removes the folders of killed processes. */
export async function makeWorkingFolder(parent = tmpdir()): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = NAME.exec(name)?.[1]
    // Only its owner can remove the folder of another user.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => {})
  }
  return mkdtemp(join(parent, `paysim-store-${process.pid}-`))
}
