import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { scratchDirectory } from '../support/gateway/serve-process.ts'
import { BINARY } from '../support/paysim-binary.ts'

/** A receiver that answers with the status in the path. */
const receiver = createServer(({ url = '' }, answer) => answer.writeHead(Number(url.slice(1))).end())
let receiving: string
beforeAll(async () => {
  await new Promise<void>(listening => receiver.listen(0, '127.0.0.1', listening))
  receiving = `http://localhost:${(receiver.address() as AddressInfo).port}`
})
afterAll(() => receiver.close())

const TOKEN = 'a-token-of-this-test'

/** `paysim serve` as people start it, on a virtual clock. */
async function serve(...flags: readonly string[]) {
  const home = await scratchDirectory()
  const words = ['serve', '--port', '0', '--ephemeral', '--clock', 'virtual', '--control-token', TOKEN]
  const child = spawn(process.execPath, [BINARY, ...words, ...flags], {
    cwd: home,
    env: { ...cleanEnvironment(home), TZ: 'Asia/Bangkok' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
    for (const look of waiting) look()
  })
  const printed = (text: RegExp) =>
    new Promise<RegExpExecArray>(resolve => {
      const look = () => {
        const found = text.exec(output)
        if (!found) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  const [, origin = ''] = await printed(/ready at (\S+)/)
  const [, keys = ''] = await printed(/default\.test +(\S+)/)
  await printed(/Ctrl-C/)
  const send = async (path: string, authorization: string, method: string, body: unknown) => {
    const headers = {
      authorization,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    }
    const answer = await fetch(origin + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Record<string, string>
  }
  return {
    printed,
    output: () => output,
    call: (method: string, path: string, body?: unknown) =>
      send(path, `Basic ${Buffer.from(keys).toString('base64')}`, method, body),
    control: (method: string, path: string, body?: unknown) =>
      send(`/_paysim/accounts/default.test${path}`, `Bearer ${TOKEN}`, method, body),
  }
}

const PAYMENT = {
  amount: '10000',
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'merchant',
  payment_method: 'th_promptpay',
  customer: {},
  merchant_reference: 'order-1',
}

test('serve tells of payments by their reference, with the reason of their new status', async () => {
  const { call, control, printed } = await serve()
  await control('PUT', '/rules', {
    rules: [{ name: 'declined', outcome: { after: '1m', status: 'failed', code: 'insufficient_funds' } }],
  })
  await printed(/rules replaced +1\n/)
  const { id } = await call('POST', '/payment_intents', PAYMENT)
  await printed(
    new RegExp(
      `\\d\\d:\\d\\d:\\d\\d  payment ${id} order-1 pending  At .* it fails, because the rule "declined" says so\\.\n`,
    ),
  )
  await printed(/ {2}POST \/payment_intents {2}201 {2}\d+ ms\n/)
  await control('POST', '/clock/advance', { by: '1m' })
  await printed(
    new RegExp(
      `payment ${id} order-1 failed  It failed \\(insufficient_funds: .*\\): the rule "declined" says so\\.\n`,
    ),
  )
})

test('serve tells of each attempt of a webhook, and when the next one is', async () => {
  const { call, control, printed } = await serve()
  for (const status of [500, 204])
    await control('POST', '/webhook-endpoints', { url: `${receiving}/${status}` })
  const { id } = await call('POST', '/payment_intents', PAYMENT)
  await control('POST', `/payments/${id}/succeed`)
  const attempt = (answer: string) => {
    const [status = ''] = answer.split(' ')
    const to = `${receiving}/${status}`.replaceAll('.', '\\.')
    return new RegExp(`payment\\.succeeded ${id} order-1 → POST ${to} ${answer.replace(/[()]/g, '\\$&')}\n`)
  }
  await printed(attempt('500 (attempt 1, next in 5 seconds)'))
  await printed(attempt('204 (attempt 1)'))
  await control('POST', '/clock/advance', { by: '5s' })
  await printed(attempt('500 (attempt 2, next in 5 minutes)'))
  await control('POST', '/clock/advance', { by: '30d' })
  await printed(/500 \(attempt \d+, the last one\)\n/)
  await control('PUT', '/faults', { faults: [{ on: 'webhook', type: 'drop' }] })
  await call('POST', '/payment_intents', { ...PAYMENT, merchant_reference: 'order-2' }).then(other =>
    control('POST', `/payments/${other.id}/fail`),
  )
  await printed(/payment\.failed pi_\w+ order-2 → POST \S+ a fault dropped it\n/)
})

test('serve tells why a request was refused, and leaves out looks', async () => {
  const { call, control, printed, output } = await serve()
  await control('GET', '/payments')
  await control('GET', '/payments/pi_none')
  await printed(/GET \S+\/payments\/pi_none {2}404 not_found: /)
  await call('GET', '/payout_intents?status[]=succeeded')
  await printed(/GET \/payout_intents\?status\[\]=succeeded {2}200 {2}\d+ ms {2}ignored: status\[\]\n/)
  await control('PUT', '/faults', { faults: [{ on: '*', type: 'status', status: 503 }] })
  await call('GET', '/payout_intents')
  await printed(/GET \/payout_intents {2}503 A fault replaced its answer by an error, before/)
  expect(output()).not.toMatch(/GET \S+\/payments {2}200/)
})

test('serve --verbose tells of looks and of every event', async () => {
  const { call, control, printed } = await serve('--verbose')
  await control('GET', '/payments')
  await printed(/GET \S+\/payments {2}200 {2}\d+ ms\n/)
  await call('POST', '/payment_intents', { ...PAYMENT, merchant_reference: 'a\u001b[31m\nb' })
  await printed(/answer kept {2}for its idempotency key\n/)
  await printed(/ a\\u001b\[31m\\u000ab pending/)
})
