import { expect, test } from 'vitest'
import { image, paysim, promptPay, simulator } from '../support/library/library.ts'

test('a control client makes the calls about the server', async () => {
  const { controlUrl, controlToken } = await simulator()
  const control = new paysim.ControlClient({ controlUrl, token: controlToken })
  expect(await control.health()).toEqual({ status: 'ok' })
  expect(await control.ready()).toEqual({ status: 'ready' })
  expect(await control.metrics()).toContain('paysim_')
  expect(await control.openapi()).toMatchObject({ openapi: '3.1.0' })
  expect(await control.contract()).toHaveProperty(['errors.body'], { value: 'nested', kind: 'switch' })
  await control.close()
})

test('a control client makes the calls about merchants and keys', async () => {
  const { control, url } = await simulator()
  const made = await control.merchants.create({ id: 'shop', name: 'Shop' })
  expect(await control.merchants.list()).toContainEqual(made)
  expect(await control.merchants.change('shop', { checkout_modes: ['hosted'] })).toMatchObject({
    name: 'Shop',
    checkout_modes: ['hosted'],
  })
  const { keys } = control.account('shop.test')
  const pair = await keys.add()
  expect(await keys.list()).toContainEqual(pair)
  const client = paysim.createClient({
    baseUrl: url,
    publicKey: pair.public_key,
    secretKey: pair.secret_key,
  })
  await client.payouts.list()
  await keys.revoke(pair.public_key)
  await expect(client.payouts.list()).rejects.toMatchObject({ code: 'unauthorized' })
  await client.close()
  await control.merchants.remove('shop')
  await expect(control.merchants.get('shop')).rejects.toMatchObject({
    code: 'not_found',
    requestId: expect.stringMatching(/^req_/),
  })
})

test('a control client makes the calls about endpoints and images', async () => {
  const { control } = await simulator()
  const account = control.account('default.test')
  const url = 'http://127.0.0.1:9/hook'
  const endpoint = await account.webhookEndpoints.add({ url, events: ['payment.created'] })
  expect(await account.webhookEndpoints.list()).toEqual([endpoint])
  expect((await account.webhookEndpoints.rotateSecret(endpoint.id, '1h')).secret).not.toBe(endpoint.secret)
  await account.webhookEndpoints.remove(endpoint.id)
  const bytes = image()
  const { digest } = await account.assets.upload(bytes, { kind: 'other' })
  expect(await account.assets.list()).toMatchObject([{ digest, kind: 'other' }])
  expect(Buffer.from(await account.image(digest))).toEqual(Buffer.from(bytes))
})

test('the stream reports what happens until the caller stops reading', async () => {
  const sim = await simulator()
  const account = await sim.createAccount()
  const leave = new AbortController()
  const seen: string[] = []
  for await (const message of account.control.stream(leave.signal)) {
    seen.push(message.event)
    if (message.event === 'hello')
      await account.client.payments.create(promptPay('order\u2028with a line end'))
    if (message.event === 'request' && message.data.method === 'POST') leave.abort()
  }
  expect(seen[0]).toBe('hello')
  expect(seen).toContain('entry')
})
