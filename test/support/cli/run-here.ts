import { vi } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { dispatch } from '../../../src/cli/dispatch.ts'
import { reportError } from '../../../src/cli/errors/report-error.ts'
import type { Run } from './run-command.ts'

class Exit extends Error {}

/** Runs a command in the process of the test, until it calls `process.exit`. Use it for commands without a request. */
export async function runHere(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const streams = { stdout: '', stderr: '' }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      streams[name] += text
      return true
    })
  vi.spyOn(process, 'exit').mockImplementation(code => {
    process.exitCode = code ?? process.exitCode
    throw new Exit()
  })
  const before = process.exitCode
  try {
    await dispatch(COMMANDS, argv)
  } catch (error) {
    if (!(error instanceof Exit)) reportError(error)
  }
  const code = Number(process.exitCode ?? 0)
  process.exitCode = before
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  return { code, ...streams }
}
