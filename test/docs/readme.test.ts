import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingTool, readPage, shellBlocks, type } from '../support/docs/shell.ts'
import { removeDirectory, type Server, startServer } from '../support/gateway/server.ts'
import { claimedPort } from '../support/http/claimed-port.ts'
import { BINARY } from '../support/paysim-binary.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = shellBlocks(readPage('README.md'))
const about = (word: string) => README.filter(block => block.includes(word)).join('\n')

let directory: string
let server: Server
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'paysim-newcomer-'))
  server = await startServer({ dataDir: join(directory, '.paysim') })
})
afterAll(async () => {
  await server.stop()
  await removeDirectory(directory)
})

test('the first payment of the README answers as it shows', async () => {
  const [, command = '', shown = ''] =
    /```console\n\$ npx --no paysim (payments create .*)\n([\s\S]*?)```/.exec(readPage('README.md')) ?? []
  const env = { ...process.env, PAYSIM_DATA: join(directory, '.paysim'), TZ: 'UTC', COLUMNS: '200' }
  const ran = spawnSync(`"${process.execPath}" "${BINARY}" ${command}`, {
    shell: true,
    env,
    encoding: 'utf8',
  })
  expect(ran.status, ran.stderr).toBe(0)
  expect(withoutNames(ran.stdout)).toBe(withoutNames(shown))
})

/** What differs from run to run: ids, times, the port and the signature. */
const withoutNames = (text: string) =>
  text
    .replaceAll(/pi_\w+/g, 'pi')
    .replaceAll(/(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \+00:00 {2}.*/g, 'time')
    .replaceAll(/:\d+\/checkout/g, ':port/checkout')
    .replaceAll(/signature=[\w-]+/g, 'signature')

describe.skipIf(missingTool)('the README, typed in by a newcomer', () => {
  test('makes a first payment in a minute', async () => {
    const [options, qrPayment, paid, hosted, ...more] = await type(about('payment_intents'), {
      directory,
      url: server.url,
    })
    expect(more).toEqual([])
    expect(options).toMatchObject({ status: 200, body: { methods: expect.any(Array) } })
    const pending = {
      status: 'pending',
      next_action: { type: 'display_qr_code', qr_data: expect.any(String) },
    }
    expect(qrPayment).toMatchObject({ status: 201, body: pending })
    expect(paid).toMatchObject({ status: 201, body: pending })
    expect(hosted).toMatchObject({ status: 201, body: { next_action: { type: 'redirect_to_url' } } })

    const { id } = (paid?.body ?? {}) as { id: string }
    await expect
      .poll(async () => (await server.call('GET', `/payment_intents/${id}`)).body.status)
      .toBe('succeeded')
    const { next_action } = (hosted?.body ?? {}) as { next_action: { url: string } }
    const page = await fetch(next_action.url)
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('How would you like to pay?'),
    ])
  })

  test('moves the clock of a new merchant', async () => {
    const [merchant, arrival, ...more] = await type(about('clock/advance'), { directory, url: server.url })
    expect(more).toEqual([])
    expect(merchant).toMatchObject({ status: 201, body: { id: 'shop' } })
    expect(arrival).toMatchObject({ status: 200, body: { idle: true } })
  })
})

test('the README names two commands that package.json has', () => {
  const { scripts, bin } = JSON.parse(readPage('package.json'))
  expect(about('npm ci').trim().split(/\n+/)).toEqual([
    'npm ci && npx --no paysim serve',
    'npm ci && npm test',
  ])
  expect([scripts.test, bin.paysim]).toEqual([expect.any(String), 'bin/paysim.js'])
})

/** Each block that is marked `sh run`, in order; the answer behind it must be the one that comes. */
describe.skipIf(missingTool)('the examples of', () => {
  test.for(['docs/api.md', 'docs/control.md'])('%s answer as it says', async name => {
    const check = spawn(process.execPath, ['docs/generate.js', '--check', name], { cwd: ROOT })
    let said = ''
    for (const stream of [check.stdout, check.stderr])
      stream.setEncoding('utf8').on('data', text => (said += text))
    expect(await once(check, 'close').then(([code]) => code), said).toBe(0)
  })
})

describe('the receiver of docs/api.md', () => {
  test('verifies what paysim signs', async () => {
    const [, program = ''] = /^```js verify\n([\s\S]*?)^```$/m.exec(readPage('docs/api.md')) ?? []
    const port = await claimedPort()
    const shop = await server.merchant({ clock: { mode: 'virtual' } })
    const endpoints = `/accounts/${shop.test.id}/webhook-endpoints`
    const { secret } = (
      await server.control('POST', endpoints, { body: { url: `http://127.0.0.1:${port}/hooks` } })
    ).body

    const receiver = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]()
    try {
      expect(await lines.next()).toMatchObject({ value: 'listening' })
      const { body } = await server.as(shop.test)('POST', '/payment_intents', {
        body: {
          amount: '10000',
          currency: 'THB',
          country: 'TH',
          merchant_reference: 'order-succeeds',
          payment_method: 'th_promptpay',
          customer: {},
        },
      })
      await server.control('POST', `/accounts/${shop.test.id}/clock/advance`, { body: { by: '0s' } })
      expect(await lines.next()).toMatchObject({ value: `payment.succeeded ${body.id}` })
      const { data } = (await server.control('GET', `/accounts/${shop.test.id}/webhook-deliveries`)).body
      expect(data).toMatchObject([{ status: 'delivered', attempts: [{ response: { status: 204 } }] }])
    } finally {
      receiver.kill()
    }
  })
})
