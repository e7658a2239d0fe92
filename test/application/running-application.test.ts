import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ApplicationError } from '../../src/application/application-error.ts'
import { GatewayProxy } from '../../src/application/gateway-proxy.ts'
import { claimPort } from '../../src/application/listening.ts'
import { processesWith } from '../../src/application/process-family.ts'
import { givenCredentials, RunningApplication } from '../../src/application/running-application.ts'

const CREDENTIALS = givenCredentials({})('test')

/** An application at a URL, and how to find the processes that its command began. */
function running(url: string, restart: string | undefined, withinMs: number) {
  const mark = `RESTART_TEST=${Math.random()}`
  const [name = '', value = ''] = mark.split('=')
  const settings = { url, restart, cwd: '.', env: { [name]: value }, credentials: CREDENTIALS }
  const application = new RunningApplication({ ...settings, withinMs })
  const processes = () => processesWith(mark)
  onTestFinished(() => {
    for (const pid of processes()) process.kill(pid, 'SIGKILL')
  })
  return { application, processes }
}

const failure = (failing: Promise<unknown>): Promise<ApplicationError> =>
  failing.then(
    () => expect.unreachable(),
    (error: ApplicationError) => error,
  )

async function shop() {
  const server = createSocketServer(socket => socket.destroy())
  // Nobody else takes a claimed port when the shop has ended.
  const { port, release } = await claimPort()
  onTestFinished(release)
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const end = () => new Promise<void>(resolve => server.close(() => resolve()))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${port}`, end }
}

test('a command that fails is told with what it printed', async () => {
  const { url } = await shop()
  const { application } = running(url, 'sh: echo no such container >&2; exit 3', 60_000)
  const { message, output } = await failure(application.restart())
  expect(message).toBe('app.restart: sh: echo no such container >&2; exit 3 ended with exit code 3')
  expect(output).toEqual(['no such container'])
  const { application: other } = running(url, './no-such-command', 60_000)
  expect((await failure(other.restart())).message).toMatch(/^app\.restart: .*cannot be started: .*ENOENT/)
})

test('of a flood of output, the end is kept', async () => {
  const { url } = await shop()
  const flood = 'sh: head -c 3000000 /dev/zero | tr "\\0" "x"; echo; echo the end; exit 1'
  const { output } = await failure(running(url, flood, 60_000).application.restart())
  expect(output.at(-1)).toBe('the end')
  expect(output.join('').length).toBeLessThan(2000)
})

test('a command that does not end is ended, with all that it began', async () => {
  const { url } = await shop()
  const { application, processes } = running(url, 'sh: sleep 600 & sleep 600', 300)
  const { message } = await failure(application.restart())
  expect(message).toContain('did not end within 0.3 s: it must end once the application runs again')
  expect(processes()).toEqual([])
})

test('what a command leaves running goes on, and may go on printing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-restart-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const printed = join(folder, 'printed')
  const { url } = await shop()
  const prints = `for n in 1 2 3 4 5 6 7 8; do sleep 0.02; echo "order $n" || exit; done; touch ${printed}`
  const { application } = running(url, `sh: echo up; (${prints}) & :`, 60_000)
  await application.restart()
  expect(application.output).toContain('up')
  await expect.poll(() => existsSync(printed), { interval: 20 }).toBe(true)
})

test('an application that does not answer is given up after a while', async () => {
  const { url, end } = await shop()
  const { application } = running(url, undefined, 50)
  await application.awaitReady()
  await end()
  const { message } = await failure(application.awaitReady())
  expect(message).toBe(
    `the application at ${url} was not ready within 0.05 s: nothing accepts connections there`,
  )
  expect(application.gone).toBe(message)
  expect((await failure(application.restart())).message).toContain(
    'give app.restart a command that restarts it',
  )
})

test('an application that no longer answers is restarted, one that never did is not', async () => {
  const { url, end } = await shop()
  const { application } = running(url, 'sh: echo restarted', 50)
  const { application: unknown } = running(url, 'sh: echo restarted', 50)
  await application.awaitReady()
  await end()
  // After a restart in vain as a disturbance, the application is to blame, and may be tried again.
  await failure(application.restart())
  expect(application.gone).toBeUndefined()
  expect((await failure(application.awaitReady())).output).toEqual(['restarted'])
  expect(application.gone).toContain('was not ready')
  expect((await failure(unknown.awaitReady())).output).toEqual([])
})

test('its keys are lasting ones, unless the environment has others', () => {
  expect(givenCredentials({ PAYSIM_SECRET_KEY: '' })('live')).toEqual({
    publicKey: 'pk_live_ApplicationRunsAlready',
    secretKey: 'sk_live_ApplicationRunsAlready',
    webhookSecret: CREDENTIALS.webhookSecret,
  })
  const own = { PAYSIM_PUBLIC_KEY: 'pk', PAYSIM_SECRET_KEY: 'sk', PAYSIM_WEBHOOK_SECRET: 'whsec_own' }
  expect(givenCredentials(own)('test')).toEqual({
    publicKey: 'pk',
    secretKey: 'sk',
    webhookSecret: 'whsec_own',
  })
})

test('an application is at rest once it has made no call for a while', async () => {
  const gateway = createServer((request, response) => {
    if (request.url !== '/hold') return response.end('{}')
    gateway.once('release', () => response.end('{}'))
    gateway.emit('held')
  })
  await new Promise<void>(resolve => gateway.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void gateway.close())
  const proxy = await GatewayProxy.open(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`)
  onTestFinished(() => proxy.close())
  await proxy.atRest(60_000, 60_000)
  const calledAt = performance.now()
  await fetch(`${proxy.url}/payment_intents`)
  await proxy.atRest(600, 60_000)
  expect(performance.now() - calledAt).toBeGreaterThanOrEqual(600)
  // What never rests is not waited for.
  await proxy.atRest(60_000, 10)
  const held = fetch(`${proxy.url}/hold`)
  await once(gateway, 'held')
  let isAtRest = false
  const resting = proxy.atRest(1, 60_000).then(() => {
    isAtRest = true
  })
  await proxy.atRest(1, 30)
  expect(isAtRest).toBe(false)
  gateway.emit('release')
  await held
  await resting
})
