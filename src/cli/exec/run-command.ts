import { once } from 'node:events'
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import type { Output } from '../../application/process.ts'
import { endIfInterrupted, familyOf, guard } from '../../application/process-family.ts'
import type { RunningSimulator } from '../../library/running-simulator.ts'

/** A command that does not stop after SIGTERM or SIGHUP is killed. After SIGINT it may go on, such as a prompt does. */
const KILL_AFTER_MS = 5000
const TERMINATING = new Set<NodeJS.Signals>(['SIGTERM', 'SIGHUP'])

interface Ending {
  readonly status: number
  /** Why it could not start, or was ended. */
  readonly problem?: string
}

/** How to run a command of which nobody but paysim reads the output. */
export interface CapturedCommand {
  readonly output: Output
  /** How long it may take. */
  readonly withinMs?: number | undefined
}

/** Runs a command as if it had been called directly, and ends all its processes afterwards. */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
  { signals, captured }: { readonly signals?: Signals; readonly captured?: CapturedCommand | undefined },
): Promise<Ending> {
  const child = execa(file, args, {
    stdio: captured ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    buffer: false,
    env: environment,
    reject: false,
    cleanup: false,
    // A separate process group can be ended as a whole. On Windows, `detached` would open a console.
    detached: process.platform !== 'win32',
  })
  const { pid } = child
  if (pid === undefined) return problem(file, await child)
  if (captured) for (const stream of [child.stdout, child.stderr]) if (stream) captured.output.follow(stream)
  // What the command leaves running may keep its output open, so its own end counts.
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const family = familyOf(Object.assign(child, { pid }))
  const watch = guard(pid)
  const forget = endIfInterrupted(() => family.end())
  let ending: NodeJS.Timeout | undefined
  let isLate = false
  signals?.listen(name => {
    family.signal(name)
    if (TERMINATING.has(name)) ending ??= setTimeout(() => family.signal('SIGKILL'), KILL_AFTER_MS)
  })
  if (captured?.withinMs !== undefined)
    ending = setTimeout(() => {
      isLate = true
      void family.end(KILL_AFTER_MS)
    }, captured.withinMs)
  try {
    const [code, signal] = await ended
    const status = code ?? (signal ? statusOf(signal) : 1)
    if (!isLate) return { status }
    return { status, problem: `did not end within ${Math.round((captured?.withinMs ?? 0) / 1000)} s` }
  } finally {
    clearTimeout(ending)
    forget()
    await family.end()
    watch.dismiss()
    if (captured) await Promise.race([child, pause(LAST_OUTPUT_MS)])
  }
}

/** How long the last output of a command is waited for, which a process that left its group may keep open. */
const LAST_OUTPUT_MS = 1000

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

/** The account whose keys the command gets. */
export const ACCOUNT = 'default.test'

/** What a command needs to know about its simulator. */
export async function environmentOf(simulator: RunningSimulator): Promise<Record<string, string>> {
  const { id, baseUrl, publicKey, secretKey } = await simulator.account(ACCOUNT)
  return {
    PAYSIM_BASE_URL: baseUrl,
    PAYSIM_PUBLIC_KEY: publicKey,
    PAYSIM_SECRET_KEY: secretKey,
    PAYSIM_CONTROL_URL: simulator.controlUrl,
    PAYSIM_CONTROL_TOKEN: simulator.controlToken,
    PAYSIM_ACCOUNT: id,
  }
}
