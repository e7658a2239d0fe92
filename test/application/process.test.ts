import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ApplicationError } from '../../src/application/application-error.ts'
import { claimPort } from '../../src/application/listening.ts'
import { ApplicationProcess } from '../../src/application/process.ts'
import { commandLine, processesWith, wordsOf } from '../../src/application/process-family.ts'

/** Starts a script of Node in place of an application, and looks for what it left behind. */
async function start(script: string, settings: { startWithinMs?: number; ready?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-process-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { port, release } = await claimPort()
  onTestFinished(release)
  const leftovers = () => processesWith(`PAYSIM_APP_DATA=${folder}`)
  const starting = ApplicationProcess.start({
    command: [process.execPath, '-e', script],
    cwd: folder,
    port,
    env: { PORT: String(port), PAYSIM_APP_DATA: folder },
    ready: settings.ready === undefined ? undefined : { method: 'GET', path: settings.ready },
    ...(settings.startWithinMs === undefined ? {} : { startWithinMs: settings.startWithinMs }),
  })
  return { starting, port, leftovers }
}

const LISTENS = `require('node:http').createServer((q, s) => s.end('ok')).listen(process.env.PORT);`
const failure = (starting: Promise<unknown>): Promise<ApplicationError> =>
  starting.then(
    () => expect.unreachable(),
    (error: ApplicationError) => error,
  )

test('a command line is split like in a shell, without running one', () => {
  expect(wordsOf(`node 'my shop.js' --name="a b" $HOME`)).toEqual([
    'node',
    'my shop.js',
    '--name=a b',
    '$HOME',
  ])
  expect(wordsOf('sh: a && b')).toEqual(['/bin/sh', '-c', 'a && b'])
  expect(commandLine(['node', 'my shop.js'])).toBe('node "my shop.js"')
})

test('the process runs until it is ended, with everything that it started', async () => {
  const forks = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref();`
  const { starting, leftovers } = await start(LISTENS + forks)
  const running = await starting
  expect(await (await fetch(running.url)).text()).toBe('ok')
  expect((await leftovers()).length).toBeGreaterThanOrEqual(2)
  await running.end()
  expect(await leftovers()).toEqual([])
  expect(running.unexpectedEnd).toBeUndefined()
})

test('a process that ignores SIGTERM is killed', async () => {
  const { starting, leftovers } = await start(`process.on('SIGTERM', () => {});${LISTENS}`)
  const running = await starting
  await running.end()
  expect(await leftovers()).toEqual([])
})

test('a process that exits at once is reported with what it printed', async () => {
  const { starting } = await start(`console.error('no database'); process.exit(3)`)
  const error = await failure(starting)
  expect(error.message).toMatch(/ended with exit code 3 before it was ready$/)
  expect(error.output).toEqual(['no database'])
})

test('a process that listens on another port is reported with that port', async () => {
  const script = `const s = require('node:http').createServer().listen(0, () => console.log(s.address().port))`
  const { starting, port, leftovers } = await start(script, { startWithinMs: 1500 })
  const { message, output } = await failure(starting)
  expect(message).toContain(
    `nothing listens on port ${port} (the value of PORT). It listens on port ${output[0]} instead`,
  )
  expect(await leftovers()).toEqual([])
})

test('a process that is never ready is reported with its last answer', async () => {
  const script = `require('node:http').createServer((q, s) => s.writeHead(503).end()).listen(process.env.PORT)`
  const { starting } = await start(script, { startWithinMs: 1000, ready: '/health' })
  expect((await failure(starting)).message).toMatch(/was not ready within 1 s: GET \/health answered 503$/)
})

test('a flood of output neither stops the process nor fills the memory', async () => {
  const flood = `setInterval(() => { for (let i = 0; i < 500; i++) console.log('line ' + i + ' '.repeat(200)) }, 1);`
  const { starting } = await start(LISTENS + flood)
  const running = await starting
  await expect.poll(() => running.output.lines().length).toBe(31)
  // Much more was printed since.
  for (let asked = 0; asked < 20; asked++) expect(await (await fetch(running.url)).text()).toBe('ok')
  expect(running.output.lines().length).toBe(31)
  await running.end()
})

test('a command that does not exist is reported', async () => {
  const error = await failure(
    ApplicationProcess.start({ command: 'no-such-shop', cwd: tmpdir(), port: 1, env: {} }),
  )
  expect(error.message).toBe(
    `no-such-shop cannot be started: the command or the folder ${tmpdir()} does not exist`,
  )
})
