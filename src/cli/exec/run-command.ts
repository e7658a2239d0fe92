import { constants } from 'node:os'
import { execa } from 'execa'
import { familyOf, guard } from '../../application/process-family.ts'

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
  const family = familyOf(Object.assign(child, { pid }))
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

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
export type StopSignal = (typeof STOPPING)[number]

/** The signals that this process receives. The first one is kept until somebody listens. */
export class Signals {
  #listener: ((name: NodeJS.Signals) => void) | undefined
  /** The first one that came while nobody listened. */
  missed: StopSignal | undefined

  constructor() {
    for (const name of STOPPING)
      process.on(name, () => {
        if (this.#listener) this.#listener(name)
        else this.missed ??= name
      })
    if (process.platform === 'win32') return
    // The command leads its own process group, so the terminal signals only this process.
    process.on('SIGWINCH', () => this.#listener?.('SIGWINCH'))
    process.on('SIGCONT', () => this.#listener?.('SIGCONT'))
    process.on('SIGTSTP', () => {
      this.#listener?.('SIGSTOP')
      process.kill(process.pid, 'SIGSTOP')
    })
  }

  listen(listener: (name: NodeJS.Signals) => void): void {
    this.#listener = listener
  }
}

/** The exit status that a shell gives a command which a signal ended. */
export const statusOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]
