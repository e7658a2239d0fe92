import { execa } from 'execa'
import { familyOf, guard } from '../../application/process-family.ts'
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
