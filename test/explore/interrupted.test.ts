import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { processesWith } from '../../src/application/process-family.ts'
import { runBinary } from '../support/gateway/server.ts'
import { BINARY } from '../support/paysim-binary.ts'

/** A shop that answers slowly, ignores SIGTERM, and has a child process outside its process group. */
const SHOP = `
  process.on('SIGTERM', () => {})
  const { spawn } = require('node:child_process')
  spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref()
  require('node:http').createServer((request, response) => {
    if (request.url === '/') return response.end('{}')
    require('node:fs').writeFileSync(process.env.SIGNAL_FILE, '')
  }).listen(process.env.PORT)`

async function workplace() {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-interrupted-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const temporary = join(folder, 'tmp')
  await mkdir(temporary)
  const mark = `SHOP_OF=${folder}`
  const story = async (name: string, path: string) => {
    const file = join(folder, name)
    const env = { SHOP_OF: folder, SIGNAL_FILE: join(folder, 'called') }
    const app = { start: [process.execPath, '-e', SHOP], env }
    await writeFile(file, JSON.stringify({ paysim: 1, name, app, steps: [{ 'call app': `GET ${path}` }] }))
    return file
  }
  return {
    folder,
    story,
    temporary,
    env: { TMPDIR: temporary },
    isCalled: async () => (await readdir(folder)).includes('called'),
    leftovers: async () => ({
      processes: processesWith(mark),
      folders: (await readdir(temporary)).filter(name => name.startsWith('paysim-app-')).sort(),
    }),
  }
}

const NOTHING = { processes: [], folders: [] }
const EVERY = { interval: 50 }

test.each([
  ['run', 'SIGINT'],
  ['explore', 'SIGTERM'],
  ['explore', 'SIGKILL'],
] as const)('paysim %s that receives %s leaves no process and no folder', async (command, signal) => {
  const { story, env, isCalled, leftovers } = await workplace()
  const file = await story('hangs.json', '/hangs')
  const child = spawn(process.execPath, [BINARY, command, file], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  await expect.poll(isCalled, EVERY).toBe(true)
  expect((await leftovers()).processes.length).toBeGreaterThanOrEqual(2)
  expect((await leftovers()).folders).toHaveLength(1)
  child.kill(signal)
  await once(child, 'exit')
  // If paysim was killed, a shell cleans up.
  if (signal === 'SIGKILL') await expect.poll(leftovers, EVERY).toEqual(NOTHING)
  else expect(await leftovers()).toEqual(NOTHING)
})

const APPS = fileURLToPath(new URL('apps', import.meta.url))

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'paysim explore that receives %s reports and saves what it found until then',
  async signal => {
    const { folder, env, isCalled, leftovers } = await workplace()
    const found = join(folder, 'found')
    const flags = ['-j', '1', '--only', 'webhook-twice,webhook-late,call-503', '--save', found]
    const shop = ['node', join(APPS, 'by-run.mjs'), 'hangs-in-the-seventh-run', join(folder, 'called')]
    const child = spawn(
      process.execPath,
      [BINARY, 'explore', join(APPS, 'one-order.yaml'), ...flags, '--', ...shop],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const [printed, complaints] = [text(child.stdout), text(child.stderr)]
    await expect.poll(isCalled, EVERY).toBe(true)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(await printed).toMatch(
      /It was interrupted\.\n {2}Not reached: .*\n[\s\S]*webhook-twice: .*shipments is 2, not 1/,
    )
    expect(await complaints).toBe('')
    expect(await readdir(found)).toContain('one-order-webhook-twice.yaml')
    expect(await leftovers()).toEqual(NOTHING)
  },
)

test('paysim run that is interrupted reports what ended until then', async () => {
  const { story, folder, env, isCalled } = await workplace()
  const files = [await story('answers.json', '/'), await story('hangs.json', '/hangs')]
  const report = join(folder, 'report.xml')
  const child = spawn(process.execPath, [BINARY, 'run', ...files, '-j', '1', '--report', `junit=${report}`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = text(child.stdout)
  await expect.poll(isCalled, EVERY).toBe(true)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
  expect(await printed).toMatch(/1 scenario passed[\s\S]*Interrupted: 1 of 2 did not end\.\n$/)
  expect(await readFile(report, 'utf8')).toContain('answers.json')
})

test('the next run removes what a killed paysim left behind', async () => {
  const { story, env, temporary, leftovers } = await workplace()
  const dead = join(temporary, 'paysim-app-999999999-abc')
  const alive = `paysim-app-${process.pid}-abc`
  await mkdir(dead)
  await mkdir(join(temporary, alive))
  const foreign = 'paysim-app-of-mine'
  await mkdir(join(temporary, foreign))
  const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    env: { ...process.env, PAYSIM_APP_DATA: dead },
    stdio: 'ignore',
  })
  const gone = once(orphan, 'exit')
  const { code } = await runBinary(['run', await story('answers.json', '/')], { env })
  expect(code).toBe(0)
  expect(await gone).toEqual([null, 'SIGKILL'])
  expect(await leftovers()).toEqual({ processes: [], folders: [alive, foreign] })
})
