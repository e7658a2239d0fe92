import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../../support/cli/clean-environment.ts'
import { readLines } from '../../support/cli/formats.ts'
import { openSite } from '../../support/cli/site.ts'
import { noTerminal, openTerminal } from '../../support/cli/terminal.ts'
import { inTheSimulator } from '../../support/cli/worlds.ts'
import { BINARY } from '../../support/paysim-binary.ts'
import { openApplication, type Reply } from '../../support/webhooks/application.ts'
import {
  controlEnvironment,
  endpointsOf,
  listening,
  statusesSent,
  succeed,
} from '../../support/webhooks/listening.ts'

async function application(...replies: readonly Reply[]) {
  const open = await openApplication(...replies)
  onTestFinished(open.close)
  return open
}

// biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever came back
const rowsOf = (stdout: string) => readLines(stdout) as any[]

inTheSimulator(world => {
  test('listen verifies, prints and forwards webhooks unchanged, and returns the answer', async () => {
    const shop = await world().shop()
    const busy = { status: 503, headers: { 'retry-after': '7' } }
    const app = await application(busy, { status: 200 })
    const { listener, greeting } = await listening(
      world(),
      shop,
      ...['--forward-to', app.url, '--count', '2', '-o', 'jsonl', '--print-secret'],
    )
    const id = await succeed(shop)
    await listener.says(/"answered":503/)
    // Longer than the first gap of the schedule: what the application asked for got through.
    await shop.advance('6s')
    expect(app.heard).toHaveLength(1)
    await shop.advance('1s')
    const { code, stdout, stderr } = await listener.ended
    expect(code, stderr).toBe(0)
    const rows = rowsOf(stdout)
    expect(rows).toMatchObject([
      { type: 'payment.succeeded', delivery: 1, signature: 'valid', fault: null, answered: 503 },
      { type: 'payment.succeeded', delivery: 2, signature: 'valid', fault: null, answered: 200 },
    ])
    expect(rows[1].id).toBe(rows[0].id)
    expect(rows[0].forwarded).toEqual({ url: app.url, status: 503, error: null, ms: expect.any(Number) })
    expect(JSON.parse(rows[0].body)).toMatchObject({ id: rows[0].id, data: { id } })
    expect(await statusesSent(shop)).toEqual([503, 200])
    const secret = /^Secret: (whsec_\S+)$/m.exec(greeting)?.[1] ?? ''
    for (const [at, { method, path, headers, body }] of app.heard.entries()) {
      expect([method, path, body]).toEqual(['POST', '/hooks?from=paysim', rows[at].body])
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'paysim' })
      new Webhook(secret).verify(body, headers as Record<string, string>)
    }
    expect(await endpointsOf(shop)).toEqual([])
  })

  test('listen reports an invalid signature, and forwards the webhook all the same', async () => {
    const shop = await world().shop()
    const app = await application({ status: 400 })
    const { listener } = await listening(world(), shop, '--forward-to', app.url, '--count', '1')
    await shop.control('PUT', '/faults', { body: { faults: [{ on: 'webhook', type: 'bad_signature' }] } })
    const id = await succeed(shop)
    const { code, stdout } = await listener.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`→ payment.succeeded  ${id}  not verified.*\\n +the signature`))
    expect(stdout).toMatch(/← 400 {2}in \d+ ms/)
    expect(app.heard).toHaveLength(1)
  })

  test('listen answers 502 when nothing listens at the address, and 200 without an address', async () => {
    const shop = await world().shop()
    const gone = await openSite(() => {})
    gone.close()
    const refused = await listening(world(), shop, '--forward-to', gone.url, '--count', '1', '-o', 'jsonl')
    await succeed(shop)
    expect(rowsOf((await refused.listener.ended).stdout)).toMatchObject([
      { forwarded: { status: null, error: 'ECONNREFUSED' }, answered: 502 },
    ])
    const alone = await listening(world(), shop, '--count', '1', '--query', 'forwarded')
    await succeed(shop)
    expect(await alone.listener.ended).toMatchObject({ code: 0, stdout: 'null\n' })
    // The first attempt of the first event failed, and its endpoint is gone.
    expect(await statusesSent(shop)).toEqual([502, 200])
  })

  test('listen receives only the events that are named', async () => {
    const shop = await world().shop()
    const { listener } = await listening(
      world(),
      shop,
      ...['--events', 'payment.created,payment.failed', '--count', '2', '--query', 'type'],
    )
    await succeed(shop)
    const { id } = await shop.pay('probe_transfer')
    expect(await listener.ended).toMatchObject({ code: 0, stdout: 'payment.created\npayment.created\n' })
    expect(id).toMatch(/^pi_/)
  })

  test('listen continues after a rotated secret, and registers again after a reset', async () => {
    const shop = await world().shop()
    const { listener } = await listening(world(), shop, '--count', '2', '--query', 'signature')
    const { body } = await shop.control('GET', '/webhook-endpoints')
    await shop.control('POST', `/webhook-endpoints/${body.data[0].id}/rotate-secret`, {
      body: { overlap: '0s' },
    })
    await succeed(shop)
    await shop.control('POST', '/reset')
    await listener.says(/registered again/)
    await succeed(shop)
    expect(await listener.ended).toMatchObject({ code: 0, stdout: 'valid\nvalid\n' })
    expect(await endpointsOf(shop)).toEqual([])
  })

  test('listen ends with 8 at its timeout and with 130 on Ctrl-C, and removes its endpoint', async () => {
    const shop = await world().shop()
    const [late, interrupted] = await Promise.all([
      listening(world(), shop, '--count', '1', '--timeout', '1ms', '-o', 'json'),
      listening(world(), shop, '-o', 'json'),
    ])
    const run = await late.listener.ended
    expect(run).toMatchObject({ code: 8, stdout: '[]\n' })
    expect(run.stderr).toContain('timed out: 0 of 1 webhooks arrived within 1ms')
    interrupted.listener.interrupt()
    expect(await interrupted.listener.ended).toMatchObject({ code: 130, stdout: '[]\n' })
    expect(await endpointsOf(shop)).toEqual([])
  })

  test('listen ends quietly when the reader closes the pipe, and removes its endpoint', async () => {
    const shop = await world().shop()
    const env = { ...cleanEnvironment(world().place.path('')), ...controlEnvironment(world()) }
    const child = spawn(process.execPath, [BINARY, 'webhooks', 'listen', '--account', shop.test.id], { env })
    await once(child.stderr, 'data')
    child.stdout.destroy()
    const ended = once(child, 'exit')
    await succeed(shop)
    expect(await ended).toEqual([0, null])
    expect(await endpointsOf(shop)).toEqual([])
  })

  test('listen refuses what cannot work, and registers nothing', async () => {
    const shop = await world().shop()
    const taken = await openSite(() => {})
    onTestFinished(taken.close)
    const env = controlEnvironment(world())
    const listen = (...args: string[]) =>
      world().place.paysim(['webhooks', 'listen', '--account', shop.test.id, ...args], { env })
    const runs = await Promise.all([
      listen('--events', 'payment.suceeded'),
      listen('--port', new URL(taken.url).port),
      listen('--control-url', 'http://192.0.2.1:7297/_paysim'),
      listen('--forward-to', 'ftp://localhost:3000'),
      listen('--count', '0'),
    ])
    expect(runs).toMatchObject(runs.map(() => ({ code: 2, stdout: '' })))
    expect(runs.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('Did you mean payment.succeeded?'),
      expect.stringContaining('EADDRINUSE'),
      expect.stringContaining('not to http://192.0.2.1:7297'),
      expect.stringContaining('http or https URL'),
      expect.stringContaining('1 or more'),
    ])
    expect(await listen('--account', 'nobody.test')).toMatchObject({ code: 4 })
    expect(await endpointsOf(shop)).toEqual([])
  })

  test.skipIf(noTerminal)('listen fits the terminal, and removes its endpoint on Ctrl-C', async () => {
    const shop = await world().shop()
    const terminal = await openTerminal(['webhooks', 'listen', '--account', shop.test.id], {
      columns: 80,
      env: controlEnvironment(world()),
    })
    onTestFinished(terminal.close)
    await terminal.waitFor('Press Ctrl-C to stop.')
    const id = await succeed(shop)
    const screen = await terminal.waitFor(id)
    for (const line of screen.split('\n').filter(line => line.includes('→')))
      expect(line).toMatch(/^\d\d:\d\d:\d\d → payment.succeeded {2}pi_\w+ {2}signed {2}succeeded$/)
    await terminal.press('C-c')
    expect(await terminal.exit()).toBe(130)
    expect(await endpointsOf(shop)).toEqual([])
  })
})
