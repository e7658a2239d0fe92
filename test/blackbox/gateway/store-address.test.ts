import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Json } from '../../support/gateway/merchant.ts'
import { scratchDirectory, serveIn, serveUntilExit } from '../../support/gateway/serve-process.ts'
import { exchange, statusOf } from '../../support/http/raw-socket.ts'
import { hostedBody, paymentBody } from '../../support/payments/payments.ts'

/** Calls the merchant API of the default merchant. */
async function call(ready: Json, path: string, body?: Record<string, unknown>): Promise<Json> {
  const keys = ready.accounts.find(({ id }: Json) => id === 'default.test')
  const authorization = `Basic ${btoa(`${keys.public_key}:${keys.secret_key}`)}`
  const answer = await fetch(ready.listen + path, {
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(answer.ok, `${answer.status}`).toBe(true)
  return answer.json()
}

test('--store file: works like --data, as a flag and as PAYSIM_STORE', async () => {
  const directory = await scratchDirectory()
  const store = `file:${join(directory, 'data')}`
  const first = await serveIn(directory, ['--port', '0', '--store', 'file:data'])
  expect(first.ready).toMatchObject({ store, data_dir: join(directory, 'data') })
  const { id } = await call(first.ready, '/payment_intents', paymentBody())
  expect(await first.stop()).toBe(0)

  vi.stubEnv('PAYSIM_STORE', store)
  const second = await serveIn(directory, ['--port', '0'])
  expect(second.ready).toMatchObject({ store })
  expect(await call(second.ready, `/payment_intents/${id}`)).toMatchObject({ id })
})

test('--store memory: works like --ephemeral', async () => {
  const { ready } = await serveIn(await scratchDirectory(), ['--port', '0', '--store', 'memory:'])
  expect(ready).toMatchObject({ store: 'memory:', data_dir: null })
})

test.each([
  [['--store', 'file:a', '--data', 'b'], 'give --store or --data, not both'],
  [['--store', 'memory:', '--ephemeral'], 'give --store or --ephemeral, not both'],
  [['--store', './data'], '--store has an address without a scheme'],
  [['--store', 'redis://me:secret@host'], '--store has redis:'],
  [['--public-url', 'https://pay.example.com/path'], 'the public URL must be an origin'],
  [['--public-url', 'https://me:secret@pay.example.com'], 'the public URL must be an origin'],
  [['--public-url', 'ftp://pay.example.com'], 'the public URL must be an origin'],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await serveUntilExit(['--port', '0', ...args], await scratchDirectory())
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('secret')
})

test('links start with the public URL, and its host is allowed', async () => {
  const args = ['--port', '0', '--ephemeral', '--public-url', 'https://pay.example.com/']
  const { ready } = await serveIn(await scratchDirectory(), args)
  expect(ready.url).toBe('https://pay.example.com')
  expect(ready.listen).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const payment = await call(ready, '/payment_intents', hostedBody())
  const page = new URL(payment.next_action.url)
  expect(page.origin).toBe('https://pay.example.com')
  const get = (host: string) =>
    exchange(
      ready.listen,
      `GET ${page.pathname}${page.search} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
    )
  expect(statusOf(await get('pay.example.com'))).toBe(200)
  expect(statusOf(await get('other.example.com'))).toBe(400)
})
