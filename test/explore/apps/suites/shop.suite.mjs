// Tests a shop with vitest, as a suite in a repository would. SHOP is the command that starts the shop, in JSON.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectSimulator } from 'paysim'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const { PAYSIM_CONTROL_URL: controlUrl, PAYSIM_CONTROL_TOKEN: controlToken, SHOP } = process.env
let simulator
beforeAll(async () => {
  simulator = await connectSimulator({ controlUrl, controlToken })
})
afterAll(() => simulator.stop())

const freePort = () =>
  new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const accepts = port =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy()).once('connect', () => socket.end())
  })

/** A shop with an account of its own, whose webhooks the test receives too. */
async function openShop() {
  const account = await simulator.createAccount({
    clock: 'virtual',
    rules: [
      { match: { amount: '66600' }, outcome: { after: '30s', status: 'failed', code: 'declined' } },
      { outcome: { after: '20s', status: 'succeeded' } },
    ],
  })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { secret } = await account.control.webhookEndpoints.add({ url: `${url}/webhooks` })
  const folder = mkdtempSync(join(tmpdir(), 'paysim-shop-'))
  const [file, ...args] = JSON.parse(SHOP)
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: {
      ...process.env,
      PORT: port,
      PAYSIM_APP_DATA: folder,
      PAYSIM_BASE_URL: account.baseUrl,
      PAYSIM_PUBLIC_KEY: account.publicKey,
      PAYSIM_SECRET_KEY: account.secretKey,
      PAYSIM_WEBHOOK_SECRET: secret,
    },
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await account.close()
    rmSync(folder, { recursive: true })
  })
  while (!(await accepts(port))) expect(child.exitCode, 'the shop has ended').toBeNull()
  const ask = async (path, body) => {
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      body: body && JSON.stringify(body),
    })
    expect(response.ok, `${path} was answered ${response.status}`).toBe(true)
    return response.json()
  }
  return { account, order: body => ask('/orders', body), read: reference => ask(`/orders/${reference}`) }
}

test('a paid order is shipped once', async () => {
  const { account, order, read } = await openShop()
  await order({ reference: 'cup', amount: '25000' })
  await account.clock.advance('1m')
  const event = await account.webhooks.next({ type: 'payment.succeeded' })
  expect(event.data.merchant_reference).toBe('cup')
  expect(await read('cup')).toMatchObject({ status: 'paid', shipments: 1 })
})

test('a declined order is not shipped', async () => {
  const { account, order, read } = await openShop()
  await order({ reference: 'jar', amount: '66600' })
  await order({ reference: 'lid', amount: '1000' })
  await account.clock.advance('1m')
  expect(await read('jar')).toMatchObject({ status: 'failed', shipments: 0 })
  expect(await read('lid')).toMatchObject({ status: 'paid', shipments: 1 })
})
