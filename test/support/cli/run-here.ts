import { vi } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { dispatch } from '../../../src/cli/dispatch.ts'
import { reportError } from '../../../src/cli/errors/report-error.ts'
import { openDoor } from '../../../src/cli/output/door.ts'
import type { Run } from './run-command.ts'

class Exit extends Error {}

/** Runs a command in the process of the test, until it calls `process.exit`. Use it for commands without a request. */
export const runHere = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
  runIn(argv, env, () => () => {})

/** The same as a person sees it, on a terminal of 100 columns that takes colours; nobody answers a question there. */
export const runOnTerminal = (
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Run> =>
  runIn(argv, { ...env, FORCE_COLOR: '1', COLUMNS: '100' }, () => {
    const { isTTY } = process.stdout
    process.stdout.isTTY = true
    openDoor()
    return () => {
      process.stdout.isTTY = isTTY
    }
  })

async function runIn(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  prepare: () => () => void,
): Promise<Run> {
  const streams = { stdout: '', stderr: '' }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text, ...rest: readonly unknown[]) => {
      streams[name] += text
      const written = rest.at(-1)
      if (typeof written === 'function') queueMicrotask(() => written())
      return true
    })
  vi.spyOn(process, 'exit').mockImplementation(code => {
    process.exitCode = code ?? process.exitCode
    throw new Exit()
  })
  const restore = prepare()
  const before = process.exitCode
  try {
    await dispatch(COMMANDS, argv)
  } catch (error) {
    if (!(error instanceof Exit)) reportError(error)
  }
  const code = Number(process.exitCode ?? 0)
  process.exitCode = before
  restore()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  return { code, ...streams }
}
