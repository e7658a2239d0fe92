import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { UsageFault } from '../faults/usage-fault.ts'

/** Nobody holds it for longer: a change of the file takes milliseconds. */
const STALE_AFTER_MS = 10_000
const PATIENCE_MS = 20_000
const LONGEST_PAUSE_MS = 40

/** Does it while no other process does it: a file beside the one that is changed says so. */
export async function holding<T>(lock: string, act: () => Promise<T>): Promise<T> {
  await take(lock)
  try {
    return await act()
  } finally {
    await rm(lock, { force: true })
  }
}

async function take(lock: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (!(await isTaken(lock))) {
    if (performance.now() > until)
      throw new UsageFault(`${lock} is held by another paysim: if none runs, remove it`)
    await breakIfStale(lock)
    // Chance keeps many who wait from coming back together.
    await new Promise(resolve => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS))
  }
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600)
    await file.writeFile(String(process.pid)).finally(() => file.close())
    return true
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // Windows says EPERM or EBUSY of a file that is just being removed.
    if (code === 'EEXIST' || (process.platform === 'win32' && (code === 'EPERM' || code === 'EBUSY')))
      return false
    throw cause
  }
}

/** A process that was killed leaves its lock behind. Moved away first: of many who see it, one alone succeeds. */
async function breakIfStale(lock: string): Promise<void> {
  try {
    const holder = Number(await readFile(lock, 'utf8'))
    const { mtimeMs } = await stat(lock)
    if (Date.now() - mtimeMs < STALE_AFTER_MS && (holder === 0 || isAlive(holder))) return
    const aside = `${lock}.${process.pid}`
    await rename(lock, aside)
    await rm(aside, { force: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}
