import { expect, onTestFinished, test } from 'vitest'
import { removeDirectory, startServer } from '../support/gateway/server.ts'
import { paysim, promptPay, simulator } from '../support/library/library.ts'

test('a simulator that runs elsewhere is controlled in the same way', async () => {
  const server = await startServer()
  onTestFinished(async () => {
    await server.stop()
    await removeDirectory(server.dataDir)
  })
  const sim = await paysim.connectSimulator(server)
  expect(sim.url).toBe(server.url)
  expect(sim.accounts.map(({ secretKey }) => secretKey)).toEqual(
    server.accounts.map(({ secret_key }) => secret_key),
  )
  const account = await sim.createAccount({ clock: 'virtual' })
  const { id } = await account.client.payments.create(promptPay())
  await account.payments.succeed(id)
  expect(await account.webhooks.next({ id })).toMatchObject({ type: 'payment.succeeded' })

  await sim.stop()
  expect((await server.control('GET', '/ready')).status).toBe(200)
  expect((await server.control('GET', `/merchants/${account.merchant}`)).status).toBe(404)
})

test('stop() succeeds when the simulator has already stopped', async () => {
  const server = await simulator()
  const sim = await paysim.connectSimulator(server)
  await sim.createAccount()
  await server.stop()
  await sim.stop()
})

test('refuses a server that is not a simulator, or a wrong token', async () => {
  const { controlUrl, url } = await simulator()
  await expect(paysim.connectSimulator({ controlUrl, controlToken: 'guessed' })).rejects.toMatchObject({
    name: 'ControlError',
    status: 401,
  })
  await expect(
    paysim.connectSimulator({ controlUrl: `${url}/elsewhere`, controlToken: 'x' }),
  ).rejects.toThrow()
  const closed = await simulator()
  await closed.stop()
  await expect(paysim.connectSimulator(closed)).rejects.toMatchObject({ name: 'ControlUnreachableError' })
})
