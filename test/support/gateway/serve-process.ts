import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { BINARY } from '../paysim-binary.ts'
import type { Json } from './merchant.ts'

/** A directory for one test. */
export async function scratchDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'paysim-gateway-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

function spawnServe(
  args: string[],
  cwd: string | undefined,
): ChildProcess & { output: () => [string, string] } {
  const child = spawn(process.execPath, [BINARY, 'serve', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: [string, string] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    output[0] += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output[1] += text
  })
  return Object.assign(child, { output: () => output })
}

/** `paysim serve` that must end by itself. If it starts, it is killed, and code is null. */
export async function serveUntilExit(args: string[], cwd?: string) {
  const child = spawnServe(args, cwd)
  child.stdout?.once('data', () => child.kill('SIGKILL'))
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  const [stdout, stderr] = child.output()
  return { code, stdout, stderr }
}

/** `paysim serve --json` with exactly these arguments; the other helpers add a data directory. */
export async function serveIn(
  cwd: string,
  args: string[],
): Promise<{
  ready: Json
  /** Closes the pipes of its output. */
  turnAway: () => void
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}> {
  const child = spawnServe(['--json', ...args], cwd)
  const closed = new Promise<number | null>(resolve => child.once('close', resolve))
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const ready = await new Promise<Json>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [line, rest] = child.output()[0].split('\n')
      if (rest !== undefined) resolve(JSON.parse(line ?? ''))
    })
    closed.then(code => reject(new Error(`serve exited with ${code}: ${child.output()[1]}`)))
  })
  return {
    ready,
    turnAway: () => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return closed
    },
  }
}
