import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  bankTransfer,
  image,
  paysim,
  promptPay,
  simulator,
  standingAccount,
} from '../support/library/library.ts'

test('a control client makes the calls about the server', async () => {
  const { controlUrl, controlToken } = await simulator()
  const control = new paysim.ControlClient({ controlUrl, token: controlToken })
  expect(await control.health()).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  })
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

test('a payer chooses, sends a receipt and comes back, without a browser', async () => {
  const account = await standingAccount()
  const shop = createServer((_, response) => response.writeHead(303, { location: '/paid' }).end())
  onTestFinished(() => void shop.close())
  await once(shop.listen(0, '127.0.0.1'), 'listening')
  const { port } = shop.address() as AddressInfo
  const { payment_method, payment_method_options, ...order } = bankTransfer()
  const { id } = await account.client.payments.create({
    ...order,
    checkout_mode: 'hosted',
    return_url: `http://127.0.0.1:${port}/back`,
  })
  await expect(account.payments.succeed(id)).rejects.toMatchObject({ code: 'invalid_state' })
  const choice = { method: 'th_bank_transfer', bank: 'bbl', customer_name: 'Ann Lee' }
  const chosen = await account.payments.choose(id, choice)
  expect(chosen).toMatchObject({ id, status: 'pending', customer: { name: 'Ann Lee' } })
  expect(await account.payments.choose(id, choice)).toEqual(chosen)
  await expect(account.payments.choose(id, { method: 'th_promptpay' })).rejects.toMatchObject({
    name: 'ControlError',
    code: 'invalid_state',
  })
  await expect(account.payments.sendReceipt(id, Buffer.from('no image'))).rejects.toMatchObject({
    code: 'validation_failed',
    details: [{ field: 'file', message: expect.stringContaining('JPEG or PNG') }],
  })
  const bytes = image()
  const sent = await account.payments.sendReceipt(id, bytes)
  expect(Buffer.from(await account.control.image(sent.receipt_image?.digest ?? ''))).toEqual(
    Buffer.from(bytes),
  )
  const file = join(mkdtempSync(join(tmpdir(), 'paysim-receipt-')), 'slip.png')
  onTestFinished(() => rmSync(dirname(file), { recursive: true }))
  writeFileSync(file, bytes)
  expect(await account.payments.sendReceipt(id, file)).toEqual(sent)
  const misspelt: object = { fileName: 'slip.png' }
  await expect(account.payments.sendReceipt(id, bytes, misspelt)).rejects.toThrow(
    /payments.sendReceipt\(\).*fileName/,
  )
  await account.clock.advance('5s')
  await account.payments.succeed(id)
  expect(await account.payments.return(id)).toEqual({ status: 303, location: '/paid' })
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
