import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nameOf } from '../../src/cli/clients/calls.ts'
import { KINDS, operationLists } from '../../src/cli/commands/client.ts'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'
import { BINARY } from '../support/paysim-binary.ts'

/** What `paysim client` prints; `npm run test:languages` runs it, each with the test runner of its language. */

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysim-client-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const client = (...args: string[]) =>
  runCommand(['client', ...args], { cwd: folder, env: cleanEnvironment(folder) })

test.each(Object.keys(KINDS))(
  'the client in %s has every call of both lists, and no mark of its template',
  async name => {
    const { stdout, code } = await client(name)
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/(#|\/\/) paysim: /)
    const style = { python: 'snake', php: 'camel', go: 'Pascal' }[name] as 'snake' | 'camel' | 'Pascal'
    const { merchant, control } = operationLists()
    const ids = [...merchant, ...Object.values(control)].map(({ id }) => id).filter(id => id !== 'follow')
    const missing = ids.filter(id => !new RegExp(`(def|function|\\)) ${nameOf(id, style)}\\(`).test(stdout))
    expect(missing).toEqual([])
    expect(ids.length).toBeGreaterThan(60)
  },
)

test('the list names every language with its file', async () => {
  const { stdout } = await client('--list')
  expect(stdout.split('\n').map(line => line.split(/\s+/).slice(0, 2))).toEqual([
    ...Object.entries(KINDS).map(([name, { file }]) => [name, file]),
    [''],
  ])
})

test('a client replaces an earlier one, and nothing else', async () => {
  const file = join(folder, 'new/paysim.py')
  expect(await client('python', '--out', file)).toMatchObject({ code: 0, stdout: '' })
  const made = await readFile(file, 'utf8')
  await writeFile(file, made.slice(0, 2000))
  expect(await client('python', '--out', file)).toMatchObject({ code: 0 })
  expect(await readFile(file, 'utf8')).toBe(made)

  await writeFile(file, 'print("mine")\n')
  expect(await client('python', '--out', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is no such client'),
  })
  expect(await readFile(file, 'utf8')).toBe('print("mine")\n')
  expect(await client('python', '--out', folder)).toMatchObject({ code: 2 })
  expect(await client()).toMatchObject({ code: 2, stderr: expect.stringContaining('python|php|go') })
})

test('`serve --stop-with-stdin` stops cleanly when its stdin ends', async () => {
  const args = [BINARY, 'serve', '--ephemeral', '--port', '0', '--json', '--stop-with-stdin']
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(server.stdout), 'line')
  expect(JSON.parse(line)).toMatchObject({ event: 'ready' })
  expect(server.exitCode).toBeNull()
  server.stdin.end()
  expect(await once(server, 'exit')).toEqual([0, null])
})
