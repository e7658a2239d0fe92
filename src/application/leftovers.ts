import { mkdtempSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning, killAllWith } from './process-family.ts'

/** Ends each running application, with all of its processes. */
const ends = new Set<() => Promise<void>>()
let isInterrupted = false

/** Whether paysim was interrupted, so that no application may start. */
export const isShuttingDown = () => isInterrupted

/** Ends this application if paysim is interrupted. Call the result to unregister it. */
export function endIfInterrupted(end: () => Promise<void>): () => void {
  ends.add(end)
  return () => void ends.delete(end)
}

/** Ends all applications and keeps others from starting. Call it when a signal interrupts paysim. */
export async function endApplications(): Promise<void> {
  isInterrupted = true
  await Promise.allSettled([...ends].map(end => end()))
}

const PREFIX = 'paysim-app-'
const NAME = /^paysim-app-(\d+)-/
let swept: Promise<void> | undefined

/** Creates an empty folder for the data of an application. Its name has the pid of this process, which removes it. */
export async function dataFolder(): Promise<string> {
  swept ??= sweep().catch(() => {})
  await swept
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
}

/**
 * Removes what a killed paysim left: its folders, and the processes that use them. A folder without a pid in its name
 * stays, whatever it begins with: nobody knows whose it is, or whether it is still used.
 */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, owner] = NAME.exec(name) ?? []
    if (owner === undefined || isRunning(Number(owner))) continue
    const folder = join(tmpdir(), name)
    const { uid } = await stat(folder)
    if (process.getuid && uid !== process.getuid()) continue
    await killAllWith(`PAYSIM_APP_DATA=${folder}`)
    await rm(folder, { recursive: true, force: true })
  }
}
