import { execFile, spawn } from 'node:child_process'
import { execa } from 'execa'
import { type Signals, statusOf } from './signals.ts'

/** A command that does not stop after SIGTERM or SIGHUP is killed. After SIGINT it may go on, such as a prompt does. */
const KILL_AFTER_MS = 5000
const TERMINATING = new Set<NodeJS.Signals>(['SIGTERM', 'SIGHUP'])

type Ending = { readonly status: number } | { readonly status: 126 | 127; readonly problem: string }

/** Runs a command as if it had been called directly, and ends all its processes afterwards. */
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
    // A separate process group can be ended as a whole. On Windows, `detached` would open a console.
    detached: process.platform !== 'win32',
  })
  const { pid } = child
  if (pid === undefined) return problem(file, await child)
  const family = familyOf(pid)
  const watch = guard(pid)
  let ending: NodeJS.Timeout | undefined
  signals.listen(name => {
    family.signal(name)
    if (TERMINATING.has(name)) ending ??= setTimeout(() => family.signal('SIGKILL'), KILL_AFTER_MS)
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
  if (code === 'ENOENT') return { status: 127, problem: `${file}: command not found` }
  const why = code === 'EACCES' ? 'permission denied' : (originalMessage ?? code)
  return { status: 126, problem: `cannot start ${file}: ${why}` }
}

/** A command and everything that it started and that stayed in its process group. */
interface ProcessFamily {
  /** Signals all of them, like a terminal. */
  signal(name: NodeJS.Signals): void
  /** Ends what is left of it, with SIGTERM first and SIGKILL a second later. */
  end(): Promise<void>
}

const GRACE_MS = 1000
const POLL_MS = 20

function familyOf(leader: number): ProcessFamily {
  return process.platform === 'win32' ? windowsTree(leader) : processGroup(leader)
}

/** The command leads its own process group, whose id is the command's pid until the last member ends. */
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
      for (const deadline = performance.now() + GRACE_MS; performance.now() < deadline; ) {
        if (!send(0)) return
        await new Promise(resolve => setTimeout(resolve, POLL_MS))
      }
      send('SIGKILL')
    },
  }
}

/** Windows has no process groups or signals: a console interrupts all its processes, and taskkill ends a whole tree. */
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
/** Ends the command if this process is killed and cannot do so: a shell waits at a pipe that only this process holds. */
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
