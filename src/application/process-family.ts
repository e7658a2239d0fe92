import { execFile, spawn } from 'node:child_process'

/** A command and everything it started, so long as that did not leave its process group. */
export interface ProcessFamily {
  /** Sends a signal to all of them, as a terminal does. */
  signal(name: NodeJS.Signals): void
  /** Ends what is left of it: SIGTERM first, SIGKILL after `patienceMs`. */
  end(patienceMs?: number): Promise<void>
  /** Ends it at once with SIGKILL. */
  kill(): Promise<void>
}

const PATIENCE_MS = 1000
const GLANCE_MS = 10

export function familyOf(leader: number): ProcessFamily {
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
  const isGoneWithin = async (ms: number): Promise<boolean> => {
    for (const deadline = performance.now() + ms; performance.now() < deadline; ) {
      if (!send(0)) return true
      await new Promise(resolve => setTimeout(resolve, GLANCE_MS))
    }
    return !send(0)
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
    kill,
  }
}

/**
 * Ends the process group of a command when this process is gone without having said goodbye: killed outright, or
 * out of memory. It waits in a shell, at the other end of a pipe that only this process holds.
 */
export interface Guard {
  dismiss(): void
}

const WATCH = `trap '' INT TERM HUP QUIT
read -r word || { kill -s TERM -- "-$1"; sleep 1; kill -s KILL -- "-$1"; }`

export function guard(leader: number): Guard {
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
