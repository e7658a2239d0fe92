import { execFile } from 'node:child_process'

/** A command and everything it started, so long as that did not leave its process group. */
export interface ProcessFamily {
  /** Told to all of them, as a terminal does. */
  signal(name: NodeJS.Signals): void
  /** Ends what is left of it: politely, then not. */
  end(): Promise<void>
}

const POLITENESS_MS = 1000
const GLANCE_MS = 20

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
