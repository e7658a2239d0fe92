import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { BINARY } from '../paysim-binary.ts'

export interface Run {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd: string
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv
  readonly input?: string | Uint8Array
}

/** Starts a command of the built binary as a process. */
export function startCommand(args: readonly string[], { cwd, env, input = '' }: CommandOptions) {
  return execa(process.execPath, [BINARY, ...args], {
    cwd,
    env,
    extendEnv: false,
    input,
    reject: false,
    stripFinalNewline: false,
  })
}

/**
 * Runs a command of the built binary to its end, in a process that all tests of this worker share, because the start of
 * Node takes ten times as long as most commands. A command whose modules read more of the environment when they are
 * loaded gets its own process.
 */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<Run> {
  if (Object.keys(options.env).some(name => READ_AT_LOAD.test(name))) {
    const { exitCode, stdout, stderr } = await startCommand(args, options)
    return { code: exitCode, stdout, stderr }
  }
  const turn = last.then(() => runWarm(args, options))
  last = turn.catch(() => {})
  return turn
}

const READ_AT_LOAD = /^(NODE_(?!ENV$)|FORCE_COLOR)/

const WARM = fileURLToPath(new URL('warm-command.mjs', import.meta.url))
let warm: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

function runWarm(args: readonly string[], { cwd, env, input = '' }: CommandOptions): Promise<Run> {
  warm ??= startWarm()
  const child = warm
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => {
      warm = undefined
      reject(new Error(`paysim ${args.join(' ')} ended the process that runs commands, with ${code}`))
    }
    child.once('exit', ended)
    child.once('message', (run: Run) => {
      child.off('exit', ended)
      resolve(run)
    })
    child.send({ args, cwd, env, input })
  })
}

function startWarm(): ChildProcess {
  const child = fork(WARM, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--no-warnings'],
    env: {},
  })
  child.unref()
  child.channel?.unref()
  return child
}
