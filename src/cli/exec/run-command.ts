import { execa } from 'execa'
import { guard } from './guard.ts'
import { familyOf } from './process-family.ts'
import { type Signals, statusOf } from './signals.ts'

/** A command told to stop that does not is ended. An interrupt is its own affair: a prompt survives many. */
const ENDED_AFTER_MS = 5000
const FINAL = new Set<NodeJS.Signals>(['SIGTERM', 'SIGHUP'])

export type Ending = { readonly status: number } | { readonly status: 126 | 127; readonly problem: string }

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
