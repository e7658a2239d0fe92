import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
