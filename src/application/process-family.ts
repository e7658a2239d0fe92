import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** How to start an application: one line, or a list of words. */
export type StartCommand = string | readonly string[]

const SHELL = /^sh:\s*/

/**
 * Splits a command line into words. Quotes keep words together; nothing else is special. There is no shell, unless the
 * line starts with `sh: `.
 */
export function wordsOf(command: StartCommand): string[] {
  if (typeof command !== 'string') return [...command]
  if (SHELL.test(command)) return ['/bin/sh', '-c', command.replace(SHELL, '')]
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
}

/** Formats a command as a user would type it. */
export const commandLine = (command: StartCommand): string =>
  typeof command === 'string'
    ? command
    : command.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')

/** A command and all processes that it started and that are still in its process group. */
export interface ProcessFamily {
  /** Sends a signal to all of them, as a terminal does. */
  signal(name: NodeJS.Signals): void
  /** Ends all of them: SIGTERM first, then SIGKILL after `patienceMs`. */
  end(patienceMs?: number): Promise<void>
  /** Kills all of them with SIGKILL. */
  kill(): Promise<void>
}

const PATIENCE_MS = 1000
const POLL_MS = 10

export function familyOf(leader: Leader): ProcessFamily {
  return process.platform === 'win32' ? windowsTree(leader.pid) : processGroup(leader)
}

/** A child process that was started, and so has a pid. */
type Leader = Pick<ChildProcess, 'exitCode' | 'signalCode' | 'once' | 'off'> & { readonly pid: number }

/** The command leads its own process group, whose id is its pid until the last member has ended. */
function processGroup(leader: Leader): ProcessFamily {
  const send = (name: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-leader.pid, name)
    } catch {
      return false
    }
  }
  const isGoneWithin = async (ms: number): Promise<boolean> => {
    const deadline = performance.now() + ms
    await exitOf(leader, ms)
    // No event reports the end of the others: they are children of children.
    while (send(0)) {
      if (performance.now() >= deadline) return false
      await pause(POLL_MS)
    }
    return true
  }
  const kill = async () => {
    if (send('SIGKILL')) await isGoneWithin(PATIENCE_MS)
  }
  return {
    signal: send,
    kill,
    async end(patienceMs = PATIENCE_MS) {
      if (send('SIGTERM') && !(await isGoneWithin(patienceMs))) await kill()
    },
  }
}

/** Waits until a child has ended, but not longer than this. */
function exitOf(child: Leader, withinMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      child.off('exit', end)
      resolve()
    }
    const timer = setTimeout(end, withinMs)
    child.once('exit', end)
  })
}

/**
 * Windows has no process groups and no signals: Ctrl+C reaches every process of the console, and `taskkill` ends a
 * whole tree.
 */
function windowsTree(leader: number): ProcessFamily {
  const kill = () =>
    new Promise<void>(resolve => {
      execFile('taskkill', ['/pid', String(leader), '/t', '/f'], () => resolve())
    })
  return {
    signal(name) {
      if (name !== 'SIGINT') void kill()
    },
    end: kill,
    kill,
  }
}

/**
 * Ends the process group of a command if this process dies without cleaning up, such as by SIGKILL or out of memory,
 * and removes its folder. A shell waits at the other end of a pipe that only this process holds open.
 */
export interface Guard {
  dismiss(): void
}

const WATCH = `trap '' INT TERM HUP QUIT
read -r word && exit
kill -s TERM -- "-$1"; sleep 1; kill -s KILL -- "-$1"
[ -n "$2" ] || exit
for process in /proc/[0-9]*; do
  if tr '\\0' '\\n' < "$process/environ" | grep -qxF "PAYSIM_APP_DATA=$2"; then kill -s KILL "\${process#/proc/}"; fi
done
rm -rf -- "$2"`

export function guard(leader: number, folder = ''): Guard {
  if (process.platform === 'win32') return { dismiss() {} }
  const watcher = spawn('/bin/sh', ['-c', WATCH, 'paysim-guard', String(leader), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a shell there is no guard, but the command can still run.
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return {
    dismiss: () => {
      watcher.stdin.end('done\n')
    },
  }
}

/**
 * The processes with this line in their environment, including those outside the process group. Works only on Linux.
 */
export function processesWith(line: string): number[] {
  const found: number[] = []
  for (const name of entriesOf('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    if (environmentOf(name).split('\0').includes(line)) found.push(Number(name))
  }
  return found
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The environment of a process; empty if the process has ended or belongs to another user. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

/** Kills all processes with this line in their environment, and those that they start meanwhile. */
export async function killAllWith(line: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (let left = processesWith(line); left.length > 0; left = processesWith(line)) {
    for (const pid of left)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended in the meantime.
      }
    if (performance.now() > deadline) return
    await pause(POLL_MS)
  }
}

/** Whether a process with this id runs, of whichever user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

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
