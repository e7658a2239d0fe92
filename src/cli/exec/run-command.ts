import { execFile, spawn } from 'node:child_process'
import { execa } from 'execa'
import { type Signals, statusOf } from './signals.ts'

/** A command told to stop that does not is ended. An interrupt is its own affair: a prompt survives many. */
const ENDED_AFTER_MS = 5000
const FINAL = new Set<NodeJS.Signals>(['SIGTERM', 'SIGHUP'])

type Ending = { readonly status: number } | { readonly status: 126 | 127; readonly problem: string }

/** Runs a command as if it had been called itself, and leaves nothing of it behind. */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
  signals: Signals,
): Promise<Ending> {
  const child = execa(file, args, {
    stdio: 'inherit',
    env: environment,
    reject: false,
    cleanup: false,
    // A group of its own can be ended whole. On Windows that would open another console.
    detached: process.platform !== 'win32',
  })
  const { pid } = child
  if (pid === undefined) return problem(file, await child)
  const family = familyOf(pid)
  const watch = guard(pid)
  let ending: NodeJS.Timeout | undefined
  signals.listen(name => {
    family.signal(name)
    if (FINAL.has(name)) ending ??= setTimeout(() => family.signal('SIGKILL'), ENDED_AFTER_MS)
  })
  try {
    const { exitCode, signal } = await child
    return { status: exitCode ?? (signal ? statusOf(signal) : 1) }
  } finally {
    clearTimeout(ending)
    await family.end()
    watch.dismiss()
  }
}

interface NotStarted {
  readonly code?: string | undefined
  readonly originalMessage?: string | undefined
}

function problem(file: string, { code, originalMessage }: NotStarted): Ending {
  if (code === 'ENOENT') return { status: 127, problem: `${file}: no such command` }
  const why = code === 'EACCES' ? 'it is not allowed to run' : (originalMessage ?? code)
  return { status: 126, problem: `${file} cannot be started: ${why}` }
}

/** A command and everything it started, so long as that did not leave its process group. */
interface ProcessFamily {
  /** Told to all of them, as a terminal does. */
  signal(name: NodeJS.Signals): void
  /** Ends what is left of it: politely, then not. */
  end(): Promise<void>
}

const POLITENESS_MS = 1000
const GLANCE_MS = 20

function familyOf(leader: number): ProcessFamily {
  return process.platform === 'win32' ? windowsTree(leader) : processGroup(leader)
}

/** The command leads a group of its own, which has its pid for a name until the last member is gone. */
function processGroup(leader: number): ProcessFamily {
  const send = (name: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-leader, name)
    } catch {
      return false
    }
  }
  return {
    signal: send,
    async end() {
      if (!send('SIGTERM')) return
      for (const deadline = performance.now() + POLITENESS_MS; performance.now() < deadline; ) {
        if (!send(0)) return
        await new Promise(resolve => setTimeout(resolve, GLANCE_MS))
      }
      send('SIGKILL')
    },
  }
}

/** There are no groups and no signals: a console interrupts all that share it, and a tree is killed whole. */
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
  }
}

/**
 * Ends the process group of a command when this process is gone without having said goodbye: killed outright, or
 * out of memory. It waits in a shell, at the other end of a pipe that only this process holds.
 */
interface Guard {
  dismiss(): void
}

const WATCH = `trap '' INT TERM HUP QUIT
read -r word || { kill -s TERM -- "-$1"; sleep 1; kill -s KILL -- "-$1"; }`

function guard(leader: number): Guard {
  if (process.platform === 'win32') return { dismiss() {} }
  const watcher = spawn('/bin/sh', ['-c', WATCH, 'paysim-guard', String(leader)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a shell there is no guard, which is no reason not to run the command.
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return {
    dismiss: () => {
      watcher.stdin.end('done\n')
    },
  }
}
