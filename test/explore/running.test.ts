import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { claimPort } from '../../src/application/listening.ts'
import { processesWith } from '../../src/application/process-family.ts'
import { basicAuthorization } from '../../src/client/credentials.ts'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { runCommand } from '../support/cli/run-command.ts'
import { isLong } from '../support/long-form.ts'
import { BINARY } from '../support/paysim-binary.ts'

const APPS = fileURLToPath(new URL('apps', import.meta.url))
const KEYS = {
  PAYSIM_PUBLIC_KEY: 'pk_test_ApplicationRunsAlready',
  PAYSIM_SECRET_KEY: 'sk_test_ApplicationRunsAlready',
  PAYSIM_WEBHOOK_SECRET: 'whsec_YXBwbGljYXRpb24gcnVucyBhbHJlYWR5',
}
const ORDER = {
  provider: [{ outcome: { after: '30s', status: 'succeeded' } }],
  steps: [
    { 'call app': 'POST /orders', json: { reference: '${run}-a', amount: '25000' }, expect: { status: 201 } },
    { advance: '1m' },
    { 'expect app': 'GET /orders/${run}-a', is: { status: 'paid', shipments: 1 } },
  ],
}

async function port(): Promise<string> {
  const claimed = await claimPort()
  onTestFinished(claimed.release)
  return String(claimed.port)
}

/** A scenario of a shop that runs already, and the environment with which somebody begins that shop. */
async function workplace(more: object = {}, story: object = ORDER) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-running-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [gateway, own] = [await port(), await port()]
  const file = join(folder, 'shop.json')
  const app = {
    webhooks: '/webhooks',
    events: ['payment.updated', 'payment.succeeded', 'payment.failed'],
    url: `http://127.0.0.1:${own}`,
    env: { PORT: own },
    ...more,
  }
  await writeFile(file, JSON.stringify({ paysim: 1, name: 'A shop that runs', ...story, app }))
  const paysim = (args: readonly string[], env: Record<string, string> = {}) =>
    runCommand(args, { cwd: folder, env: { ...cleanEnvironment(folder), ...env } })
  const explore = (kinds: string, ...flags: string[]) =>
    paysim(['explore', file, '--gateway-port', gateway, '--only', kinds, ...flags])
  const env = {
    ...KEYS,
    PORT: own,
    PAYSIM_BASE_URL: `http://127.0.0.1:${gateway}`,
    PAYSIM_APP_DATA: join(folder, 'shop'),
  }
  const saved = async () => {
    const names = await readdir(join(folder, 'paysim-found'))
    return names.filter(name => name.endsWith('.yaml')).map(name => join('paysim-found', name))
  }
  return { folder, file, gateway, env, paysim, explore, saved }
}

/** Runs a shop of `apps` as a service, which a script can begin again. */
async function service(shop: readonly string[], story?: object) {
  const script = join(APPS, 'shop-service.sh')
  const [module = '', ...words] = shop
  const restart = ['sh', script, 'restart', 'shop', process.execPath, join(APPS, module), ...words]
  const place = await workplace({ restart }, story)
  const { folder, env } = place
  await mkdir(env.PAYSIM_APP_DATA)
  const settings = { cwd: folder, env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' } as const
  const up = restart.with(2, 'up')
  onTestFinished(async () => void (await execa('sh', [script, 'down', 'shop'], settings)))
  await execa('sh', up.slice(1), settings)
  return place
}

/** A shop in this process, as if somebody had begun it by hand. */
async function shopByHand(env: Record<string, string>) {
  const shop = {
    /** Whether it makes the payment of an order under a key that is the order's. */
    isKeyed: false,
    secretKey: KEYS.PAYSIM_SECRET_KEY,
    references: [] as string[],
    events: [] as string[],
  }
  const orders = new Map<string, { status: string; shipments: number }>()
  const pay = async (reference: string, amount: string): Promise<number> => {
    const call = () =>
      fetch(`${env.PAYSIM_BASE_URL}/payment_intents`, {
        method: 'POST',
        headers: {
          authorization: basicAuthorization(KEYS.PAYSIM_PUBLIC_KEY, shop.secretKey),
          'content-type': 'application/json',
          ...(shop.isKeyed ? { 'idempotency-key': reference } : {}),
        },
        body: JSON.stringify({
          amount,
          currency: 'THB',
          country: 'TH',
          checkout_mode: 'merchant',
          payment_method: 'th_promptpay',
          merchant_reference: reference,
          customer: { name: 'Somchai Jaidee' },
        }),
      })
    return (await call().catch(call)).status
  }
  const answer = async (route: string, text: string): Promise<readonly [number, object]> => {
    if (route === 'POST /orders') {
      const { reference, amount } = JSON.parse(text)
      orders.set(reference, { status: 'pending', shipments: 0 })
      shop.references.push(reference)
      return [await pay(reference, amount), {}]
    }
    if (route === 'POST /webhooks') {
      const { id, type, data } = JSON.parse(text)
      shop.events.push(id)
      const order = orders.get(data.merchant_reference)
      if (order && type === 'payment.succeeded') Object.assign(order, { status: 'paid', shipments: 1 })
      return [200, {}]
    }
    const order = orders.get(route.split('/').at(-1) ?? '')
    return order ? [200, order] : [404, {}]
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [status, body] = await answer(
      `${request.method} ${request.url}`,
      Buffer.concat(chunks).toString('utf8'),
    ).catch(error => [500, { error: String(error) }] as const)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(Number(env.PORT), '127.0.0.1')
  await once(server, 'listening')
  return shop
}

test('a shop begun by hand is told the address, and a second payment after a lost answer is found', async () => {
  const { env, gateway, explore, paysim, saved } = await workplace()
  const shop = await shopByHand(env)
  const found = await explore('call-lost-answer', '--runs', '1')
  expect(found.code, found.stdout + found.stderr).toBe(10)
  for (const name of ['PAYSIM_BASE_URL', ...Object.keys(KEYS)] as const)
    expect(found.stdout).toContain(`  ${name}=${env[name as keyof typeof env]}\n`)
  expect(found.stdout).toContain('it made 2 payments with the merchant_reference ${run}-a')
  const [path = ''] = await saved()
  expect(found.stdout).toContain(`Repeat it: paysim run ${path} --gateway-port ${gateway}`)
  const again = await paysim(['run', path, '--gateway-port', gateway])
  expect(again.code, again.stdout + again.stderr).toBe(10)
  shop.isKeyed = true
  // The shop and paysim may also have keys of their own, and then they are not shown.
  shop.secretKey = 'sk_test_of_the_shop'
  const own = { PAYSIM_SECRET_KEY: shop.secretKey }
  const right = await paysim(['run', path, '--gateway-port', gateway, '--repeat', '2', '--jobs', '4'], own)
  expect(right.code, right.stdout + right.stderr).toBe(0)
  expect(right.stdout).toContain('PAYSIM_SECRET_KEY, as in the environment of paysim\n')
  expect(right.stdout).not.toContain(shop.secretKey)
  expect(shop.references[0]).toMatch(/^explore-shop-[0-9a-f]{8}-1-a$/)
  // The shop keeps what it was told, so nothing of an earlier command may come again.
  expect(shop.references.length).toBeGreaterThanOrEqual(9)
  expect(new Set(shop.references).size).toBe(shop.references.length)
  expect(new Set(shop.events).size).toBe(shop.events.length)
})

test('a shop that runs as a service is restarted by its command, and forgets its orders', async () => {
  const { explore, paysim, saved, gateway } = await service(['wrong.mjs', 'forgets-all'])
  const found = await explore('restart', '--runs', '1')
  expect(found.code, found.stdout + found.stderr).toBe(10)
  expect(found.stdout).toContain('restart: expect app GET /orders/${run}-a')
  const [path = ''] = await saved()
  const again = await paysim(['run', path, '--gateway-port', gateway])
  expect(again.code, again.stdout + again.stderr).toBe(10)
  expect(again.stdout).toContain('disturb restart')
})

test('a command that cannot restart the shop is no fault of the shop', async () => {
  const { explore, env } = await workplace({ restart: 'sh: echo no such container; exit 4' })
  await shopByHand(env)
  const { code, stdout } = await explore('restart')
  expect(code).toBe(2)
  expect(stdout).toContain('The plain run failed, so nothing was disturbed:  reach the application')
  expect(stdout).toMatch(/ended with exit code 4[\s\S]*no such container/)
})

test('what a file or the command line asks for in vain is refused', async () => {
  const { file, paysim, gateway, folder } = await workplace({ restart: 'touch mark' })
  const refused = await paysim(['run', '--no-app', file])
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('app would restart with touch mark, but --no-app forbids it'),
  ])
  const taken = createServer()
  taken.listen(Number(gateway), '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const busy = await paysim(['explore', file, '--gateway-port', gateway])
  expect([busy.code, busy.stderr]).toEqual([
    2,
    expect.stringContaining(`--gateway-port ${gateway} is in use`),
  ])
  const started = await paysim(['run', file, '--gateway-port', gateway, '--', 'node', 'shop.js'])
  expect([started.code, started.stderr]).toEqual([
    2,
    expect.stringContaining('--gateway-port is for an application that runs already'),
  ])
  const both = join(folder, 'both.json')
  const app = { start: 'node shop.js', restart: 'touch mark' }
  await writeFile(both, JSON.stringify({ paysim: 1, name: 'both', app, steps: [] }))
  expect((await paysim(['run', both])).stderr).toContain('app.restart is for a running application')
  const secret = { PAYSIM_WEBHOOK_SECRET: 'whsec_short' }
  expect((await paysim(['run', file], secret)).stderr).toContain('PAYSIM_WEBHOOK_SECRET must be whsec_')
  expect(existsSync(join(folder, 'mark'))).toBe(false)
})

test('an interrupted paysim leaves no command that restarts the shop, and leaves the shop alone', async () => {
  const { folder, file, env, gateway } = await workplace({
    restart: 'sh: (sleep 600) & touch begun; sleep 600',
  })
  await shopByHand(env)
  const temporary = join(folder, 'tmp')
  await mkdir(temporary)
  const mark = `HOME=${folder}`
  const child = spawn(process.execPath, [BINARY, 'explore', file, '--gateway-port', gateway], {
    env: { ...cleanEnvironment(folder), TMPDIR: temporary },
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  await expect.poll(() => existsSync(join(folder, 'begun')), { interval: 50 }).toBe(true)
  expect(processesWith(mark).length).toBeGreaterThanOrEqual(3)
  child.kill('SIGINT')
  expect(await exit).toEqual([130, null])
  await expect.poll(() => processesWith(mark), { interval: 50 }).toEqual([])
  expect((await readdir(temporary)).filter(name => name.startsWith('paysim-app-'))).toEqual([])
  expect((await fetch(`http://127.0.0.1:${env.PORT}/orders/none`)).status).toBe(404)
})

test.skipIf(!isLong)(
  'shops that run already: a bug of each kind is found, right shops are not blamed (in the long form)',
  { timeout: 1_200_000 },
  async () => {
    const story = parse(await readFile(join(APPS, 'story.yaml'), 'utf8'))
    const planted = {
      'has-no-key': 'call-lost-answer',
      'gives-up-over-a-503': 'call-503',
      'ignores-unknown-payments': 'webhook-early',
      'refuses-unknown-members': 'answer-unknown-field',
      'remembers-events-in-memory': 'restart',
    }
    const missed: string[] = []
    for (const [bug, kind] of Object.entries(planted)) {
      const { explore } = await service(['wrong.mjs', bug], story)
      const { code, stdout } = await explore(kind, '--runs', '16')
      if (code !== 10 || !stdout.includes(`  ${kind}: `)) missed.push(`${bug}: ${stdout}`)
    }
    expect(missed).toEqual([])
    const kinds = 'call-lost-answer,webhook-early,answer-unknown-field,restart,webhook-twice'
    for (const style of ['by-state', 're-reading']) {
      const { explore } = await service(['right.mjs', style], story)
      const { code, stdout, stderr } = await explore(kinds, '--runs', '40')
      expect(code, style + stdout + stderr).toBe(0)
    }
  },
)
