import { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { playText } from '../../src/cli/mcp/scenario-text.ts'
import type { RunningSimulator } from '../../src/library/running-simulator.ts'
import { startSimulator } from '../../src/library/start-simulator.ts'
import { isLong } from '../support/long-form.ts'

/** Whatever an agent writes: its text starts no program, opens no file and connects to nothing but the simulator. */

let simulator: RunningSimulator
beforeAll(async () => {
  simulator = await startSimulator()
  // What is loaded at the first run is read from disk.
  await playText('paysim: 1\nname: x\nsteps: [{ create payment: {} }, { advance: 1s }]\n', simulator).catch(
    () => {},
  )
})
afterAll(() => simulator.stop())

/** What was reached, while `work` went on. */
async function reached(work: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = []
  const { port } = new URL(simulator.url)
  const note = (what: string) => found.push(what)
  const spies = [
    vi.spyOn(ChildProcess.prototype, 'spawn' as 'kill').mockImplementation(() => {
      note('a program')
      throw new Error('refused by the test')
    }),
    vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(function (
      this: net.Socket,
      ...given: unknown[]
    ) {
      const [first] = [given[0]].flat() as { port?: number | string }[]
      if (String(first?.port) !== port) note(`an address: ${JSON.stringify(first)}`)
      return connect.apply(this, given as never)
    }),
    ...(['openSync', 'open', 'statSync', 'stat', 'realpathSync', 'readFile', 'readFileSync'] as const).map(
      name =>
        vi.spyOn(fs, name as 'openSync').mockImplementation(() => {
          note(`a file, by ${name}`)
          throw new Error('refused by the test')
        }),
    ),
    ...(['open', 'stat', 'realpath', 'readFile'] as const).map(name =>
      vi.spyOn(fs.promises, name as 'open').mockImplementation(() => {
        note(`a file, by promises.${name}`)
        return Promise.reject(new Error('refused by the test'))
      }),
    ),
  ]
  syncBuiltinESMExports()
  try {
    await work().catch(() => {})
    return found
  } finally {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  }
}
const connect = net.Socket.prototype.connect

/** What would reach out, were it played. */
const REACHING = [
  'app: { start: "sh: touch /tmp/paysim-started" }',
  'app: { url: "http://127.0.0.1:9/" }',
  'app: { start: node, restart: node, folder: / }',
  '"app": { "\\u0073tart": touch }',
  '!!str app: { start: touch }',
  '? app\n: { start: touch }',
  '&a app: { start: touch }',
  'let: { a: &a { start: touch } }\napp: *a',
  'let: { a: &a { start: touch } }\napp: { <<: *a }',
  '<<: { app: { start: touch } }',
  'name: y\napp: { start: touch }\napp: { url: "http://127.0.0.1:9/" }',
].map(line => `${line}\nsteps: []`)

const STEPS = [
  '{ payer sends receipt: pi_1, file: /etc/passwd }',
  '{ upload asset: { file: ../../etc/passwd } }',
  '{ submit receipt: pi_1, file: "${run}" }',
  '{ payer opens: "http://127.0.0.1:9/" }',
  '{ payer returns: pi_1 }',
  '{ call app: GET /x }',
  '{ request: "GET @127.0.0.1:9/" }',
  '{ request: "GET //127.0.0.1:9/" }',
  '{ create payment: { return_url: "http:\\u002f/127.0.0.1:9/" } }',
  '{ restart: true }',
  '{ advance: 1s }',
  '{ list payouts: {} }',
].map(step => `steps: [${step}]`)

const text = fc
  .record({
    lines: fc.array(fc.constantFrom(...REACHING, ...STEPS, 'let: { x: 1 }', `${'k'.repeat(1500)}: 1`), {
      minLength: 1,
      maxLength: 3,
    }),
    head: fc.constantFrom(
      '',
      '\ufeff',
      '%YAML 1.2\n---\n',
      ' %YAML 1.2\n---\n',
      '%YAML 1.1\n---\n',
      '---\n',
      '# x\n',
    ),
    ends: fc.constantFrom('\n', '\r', '\r\n', '\n\r', '\u2028', '\u0085'),
    noise: fc.array(
      fc.tuple(
        fc.nat(400),
        fc.constantFrom(
          ' ',
          '\t',
          '"',
          "'",
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '*a',
          '&a ',
          '!!js/function ',
          '\\',
          '#',
          '\0',
          '<<',
        ),
      ),
      { maxLength: 3 },
    ),
  })
  .map(({ lines, head, ends, noise }) => {
    let written = `${head}paysim: 1\nname: x\n${lines.join('\n')}\n`
    for (const [at, what] of noise) written = written.slice(0, at) + what + written.slice(at)
    return written.replaceAll('\n', ends)
  })

test('a text starts, opens and connects to nothing', async () => {
  await fc.assert(
    fc.asyncProperty(text, async written => {
      expect(await reached(() => playText(written, simulator))).toEqual([])
    }),
    {
      numRuns: isLong ? 5000 : 400,
      examples: [...REACHING, ...STEPS].map(line => [`paysim: 1\rname: x\r${line.replaceAll('\n', '\r')}\r`]),
    },
  )
})

test('the test would see a program, a file and an address', async () => {
  const { spawn } = await import('node:child_process')
  expect(await reached(async () => spawn('true'))).toEqual(['a program'])
  expect(await reached(async () => fs.promises.open('/etc/hostname'))).toEqual(['a file, by promises.open'])
  const seen = await reached(async () => net.connect(9, '127.0.0.1').on('error', () => {}))
  expect(seen).toEqual([expect.stringContaining('an address')])
})
