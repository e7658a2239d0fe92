import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Stands for the start of a process where the system does not say it. */
export const UNKNOWN_START = '0'

/** The start time of a process, in units of its system; undefined if it does not exist or is a zombie. */
export function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const status = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    // The program's name is in brackets and may contain anything.
    const [state, ...fields] = status?.slice(status.lastIndexOf(')') + 2).split(' ') ?? []
    if (state !== undefined) return state === 'Z' || state === 'X' ? undefined : fields[18]
  } else if (process.platform !== 'win32') {
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const began = attempt(() =>
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }),
    )
    if (began?.trim()) return createHash('sha256').update(began.trim()).digest('hex').slice(0, 8)
  }
  return isRunning(pid) ? UNKNOWN_START : undefined
}

/** The start time by the wall clock, as exactly as it can be known. */
export function wallStartOf(pid: number): number | undefined {
  const start = startOf(pid)
  if (start === undefined) return undefined
  const bootedAt = /^btime (\d+)$/m.exec(attempt(() => readFileSync('/proc/stat', 'utf8')) ?? '')?.[1]
  // The kernel reports 100 ticks a second to user space.
  return process.platform === 'linux' && bootedAt && start !== UNKNOWN_START
    ? Number(bootedAt) * 1000 + Number(start) * 10
    : 0
}

/** Whether a process with this id runs, of whichever user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}

/** What is read; undefined where the system does not have it. */
export function attempt(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
