import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { paysim, promptPay, simulator } from '../support/library/library.ts'

test('a simulator starts on a free port, with the default accounts', async () => {
  const [one, other] = [await simulator(), await simulator()]
  expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(one.url).not.toBe(other.url)
  expect(one.controlUrl).toBe(`${one.url}/_paysim`)
  expect(one.accounts.map(({ id }) => id)).toEqual(['default.test', 'default.live'])
  expect(one.accounts[0]?.secretKey).not.toBe(other.accounts[0]?.secretKey)
})

test('the same seed gives the same keys', async () => {
  const [one, other] = [await simulator({ seed: 7 }), await simulator({ seed: '7' })]
  expect(one.accounts).toEqual(other.accounts)
  const made = [await one.createAccount({ id: 'shop' }), await other.createAccount({ id: 'shop' })]
  expect(made[0]?.secretKey).toBe(made[1]?.secretKey)
})

test('startSimulator() accepts the options of serve: contract, clock, token, control port', async () => {
  const sim = await simulator({
    contract: { 'errors.body': 'flat' },
    clock: 'virtual',
    controlToken: 'known-token',
    controlPort: 0,
  })
  expect(sim.controlToken).toBe('known-token')
  expect(new URL(sim.controlUrl).port).not.toBe(new URL(sim.url).port)
  const account = await sim.account('default.test')
  expect(await account.clock.get()).toMatchObject({ mode: 'virtual' })
  const { status, headers, ...answer } = await fetch(`${sim.url}/payment_intents/pi_x`)
  expect(status).toBe(401)
  expect(answer).not.toHaveProperty('error')
  await expect(account.client.payments.get('pi_x')).rejects.toMatchObject({ code: 'not_found' })
  await expect(account.payments.get('pi_x')).rejects.toMatchObject({ code: 'not_found', status: 404 })
})

test('invalid options are refused, with the reason', async () => {
  await expect(simulator({ contract: { 'errors.bodies': 'flat' } })).rejects.toThrow(/errors\.bod/)
  const catalogue = { providers: [], methods: [], routes: [{ id: 'x' }] }
  await expect(simulator({ catalogue: catalogue as never })).rejects.toThrow(/routes\.0/)
})

test('a simulator begins with what another one exported when it stopped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-library-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'shop.json')
  const first = await simulator({ exportOnExit: file })
  const { id } = await (await first.account('default.test')).client.payments.create(promptPay())
  await first.stop()
  const second = await simulator({ from: file })
  expect((await (await second.account('default.test')).client.payments.get(id)).id).toBe(id)
  await expect(simulator({ keepEndpoints: true })).rejects.toThrow('give --from')
})

test('a data directory outlives the simulator', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'paysim-library-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const first = await paysim.startSimulator({ dataDir })
  const before = await first.account('default.test')
  const { id } = await before.client.payments.create(promptPay())
  await first.stop()
  const again = await simulator({ dataDir })
  const after = await again.account('default.test')
  expect(await after.client.payments.get(id)).toMatchObject({ id, status: 'pending' })
})

test('stopping ends the server, and stopping twice is allowed', async () => {
  const sim = await simulator()
  await sim.createAccount()
  await Promise.all([sim.stop(), sim.stop()])
  await expect(fetch(sim.url)).rejects.toThrow()
  await expect(sim.createAccount()).rejects.toThrow('stopped')
})

test('a simulator is disposable', async () => {
  const sim = await simulator()
  const account = await sim.createAccount()
  await account[Symbol.asyncDispose]()
  await sim[Symbol.asyncDispose]()
  await expect(fetch(sim.url)).rejects.toThrow()
})

test('nothing keeps node running after stop()', async () => {
  const library = new URL('../../dist/index.js', import.meta.url).href
  const script = `
    import { startSimulator } from ${JSON.stringify(library)}
    const sim = await startSimulator()
    const account = await sim.createAccount()
    const standing = await sim.createAccount({ clock: 'virtual' })
    const { id } = await account.client.payments.create(${JSON.stringify(promptPay())})
    await standing.client.payments.create(${JSON.stringify(promptPay())})
    await account.payments.succeed(id)
    await account.webhooks.next({ type: 'payment.succeeded' })
    await sim.stop()
    console.log('stopped')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  const code = await new Promise(resolve => child.once('close', resolve))
  expect({ code, output }).toEqual({ code: 0, output: 'stopped\n' })
})
