import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { driven } from '../support/cli/sim.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { BINARY } from '../support/paysim-binary.ts'

const { shop } = driven()

interface Circumstances {
  readonly home?: string
  readonly env?: NodeJS.ProcessEnv
  /** What its stdout is, instead of a pipe that nobody reads. */
  readonly stdout?: number
}

/** Runs a command that nobody reads, as behind `| true`. */
async function unread(words: readonly string[], { home, env = {}, stdout }: Circumstances = {}) {
  const cwd = home ?? (await temporaryDirectory())
  const child = spawn(process.execPath, [BINARY, ...words], {
    cwd,
    env: { ...cleanEnvironment(cwd), ...env },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout?.destroy()
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const [code, signal] = await new Promise<[number | null, string | null]>(resolve =>
    child.once('close', (...ended) => resolve(ended)),
  )
  return { code, signal, stderr }
}

describe('a closed pipe is no crash', () => {
  test.each([
    '--version',
    '--help',
    'sim --help',
    'serve --help',
    'openapi',
    'contract',
    'contract -o markdown',
    'scenario schema',
    'completion bash',
    'explore --kinds',
  ])('of %s', async words => {
    expect(await unread(words.split(' '))).toEqual({ code: 0, signal: null, stderr: '' })
  })

  test('of what a simulator answers', async () => {
    const one = await shop()
    const { id = '' } = await one.pay()
    for (const words of [
      ['payments', 'list'],
      ['payments', 'show', id],
      ['why', id],
      ['export'],
      ['stream', '--count', '1'],
    ]) {
      const child = one.start(words)
      child.stdout.destroy()
      if (words[0] === 'stream') {
        await new Promise<void>(resolve => child.stderr.once('data', () => resolve()))
        await one.pay()
      }
      const { exitCode, stderr } = await child
      expect({ exitCode, errors: stderr.replace(/^following .*\n/, '') }, words.join(' ')).toEqual({
        exitCode: 0,
        errors: '',
      })
    }
  })
})

test('what a command found decides its exit code, even if nobody reads it', async () => {
  expect((await unread(['doctor', '--base-url', 'http://127.0.0.1:9', '--retries', '0'])).code).toBe(7)
})

test('a run that nobody reads comes to its end, and writes its report', async () => {
  const home = await temporaryDirectory()
  const step = (status: number) =>
    `  - create payment: { method: th_promptpay }\n    expect: { status: ${status} }\n`
  await writeFile(join(home, 'a.yaml'), `paysim: 1\nname: a\nsteps:\n${step(200)}`)
  await writeFile(join(home, 'b.yaml'), `paysim: 1\nname: b\nsteps:\n${step(201)}`)
  const ended = await unread(['run', 'a.yaml', 'b.yaml', '--report', 'json=report.json'], { home })
  expect(ended).toMatchObject({ code: 10, signal: null, stderr: '' })
  expect(JSON.parse(await readFile(join(home, 'report.json'), 'utf8'))).toMatchObject({})
})

test.runIf(existsSync('/dev/full'))('a full disk is named', async () => {
  const full = await open('/dev/full', 'w')
  onTestFinished(() => full.close())
  expect(await unread(['openapi'], { stdout: full.fd })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^paysim: cannot print: ENOSPC.*\n$/),
  })
})
