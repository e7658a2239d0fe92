import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { removeDirectory, type Server, startServer } from '../blackbox/harness.ts'
import { probeCatalogue } from '../blackbox/support/probe-catalogue.ts'
import { jpeg, png } from '../blackbox/support/receipt-images.ts'
import { BAD } from '../scenario/support/workspace.ts'
import { openShop, type Shop } from './contract-suite/support/shop.ts'
import { keepSecret, type Running, useWorkplace } from './contract-suite/support/workplace.ts'

/** Each exit code that scripts go by, by what brings it about. `exec` has its own in exec.test.ts. */

const place = useWorkplace()
let server: Server
beforeAll(async () => {
  server = await startServer({ args: ['--ephemeral'] })
})
afterAll(async () => {
  await server.stop()
  await removeDirectory(server.dataDir)
})

async function open(settings: Record<string, unknown> = {}): Promise<Shop> {
  const made = await server.merchant({ clock: { mode: 'virtual' }, catalogue: probeCatalogue(), ...settings })
  const where = { place: place(), server, url: server.url, createPath: '/payment_intents', flags: [] }
  return openShop(where, made)
}

const CREATE = [
  ...['--amount', '15000', '--currency', 'THB', '--country', 'TH', '--checkout-mode', 'merchant'],
  ...[
    '--merchant-reference',
    'order-1',
    '--customer-name',
    'Somchai Jaidee',
    '--customer-phone',
    '+66812345678',
  ],
]
const paying = (method: string, ...more: string[]) => [...CREATE, '--payment-method', method, ...more]

test('0: done', async () => {
  const shop = await open()
  const payment = await shop.pay('probe_qr')
  const runs = await Promise.all([
    shop.paysim(`payments get ${payment.id}`),
    shop.paysim('payments create', paying('probe_transfer')),
    shop.paysim('payments create --help'),
    shop.paysim('payouts list'),
  ])
  expect(runs).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }, { code: 0 }])
})

describe('1: a fault that nobody expects', () => {
  test.each([500, 502, 503])('the server answers %i', async status => {
    const shop = await open()
    await shop.control('PUT', '/faults', { body: { faults: [{ on: '*', type: 'status', status }] } })
    const { code, stdout, stderr } = await shop.paysim('payouts list --retries 0 -o json')
    expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`HTTP ${status}`)
  })

  test('and does so again whenever it is asked again', async () => {
    const shop = await open()
    const faults = [{ on: '*', type: 'status', status: 503 }]
    await shop.control('PUT', '/faults', { body: { faults } })
    expect(await shop.paysim('payouts list --retries 2')).toMatchObject({ code: 1, stdout: '' })
    expect(await shop.requests()).toHaveLength(3)
  })
})

describe('2: usage', () => {
  test.each([
    ['an unknown flag', 'payouts list --limt 5', '--limit'],
    ['an unknown command', 'payotus list', 'payouts'],
    ['an unknown command of a group', 'payments creat', 'create'],
    ['a misspelt choice', 'payouts list -o jsn', 'json'],
    ['a number that is none', 'payouts list --limit many', '--limit'],
    ['a number out of its range', 'payouts list --limit 101', '100'],
    ['a duration that is none', 'payments wait pi_1 --timeout soon', '--timeout'],
    ['an argument too few', 'payments get', 'id'],
    ['an argument too many', 'payments get pi_1 pi_2', 'argument'],
    ['a file that is not there', 'payments submit-receipt pi_1 --file no-such-slip.png', 'no-such-slip.png'],
  ])('%s', async (_, words, told) => {
    const shop = await open()
    const { code, stdout, stderr } = await shop.paysim(words)
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(told)
    expect(await shop.requests()).toEqual([])
  })

  test('validation_failed', async () => {
    const shop = await open()
    const [cursor, raw] = await Promise.all([
      shop.paysim('payouts list --cursor nonsense'),
      shop.paysim('request POST /payment_intents --data {}'),
    ])
    for (const { code, stdout, stderr } of [cursor, raw]) {
      expect(code, stderr).toBe(2)
      expect(stderr).toContain('validation_failed')
      expect(stdout).toBe('')
    }
    expect(raw.stderr, 'each field has its line').toMatch(/\n\s+amount: /)
  })
})

test('3: the keys are not accepted', async () => {
  const shop = await open()
  const { code, stdout, stderr } = await shop.paysim('payouts list', [], {
    env: { PAYSIM_SECRET_KEY: 'sk_test_ofSomebodyElse' },
  })
  expect({ code, stdout }, stderr).toEqual({ code: 3, stdout: '' })
  expect(stderr).toContain('unauthorized')
  expect(stderr).not.toContain('ofSomebodyElse')
})

test('3: the Team policy does not allow it', async () => {
  const shop = await open({ checkout_modes: ['hosted'] })
  const { code, stderr } = await shop.paysim('payments create', paying('probe_transfer'))
  expect(code, stderr).toBe(3)
  expect(stderr).toContain('checkout_mode_not_allowed')
})

test('4: not found', async () => {
  const shop = await open()
  const runs = await Promise.all([
    shop.paysim('payments get pi_nobodys'),
    shop.paysim('payments wait pi_nobodys'),
    shop.paysim('payments cancel pi_nobodys'),
    shop.paysim('payouts cancel po_nobodys'),
  ])
  for (const { code, stdout, stderr } of runs) {
    expect({ code, stdout }, stderr).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('not_found')
  }
})

describe('5: state or conflict', () => {
  test('invalid_state', async () => {
    const shop = await open()
    const payment = await shop.pay('probe_transfer')
    await shop.control('POST', `/payments/${payment.id}/succeed`, { body: {} })
    const { code, stderr } = await shop.paysim(`payments cancel ${payment.id}`)
    expect(code, stderr).toBe(5)
    expect(stderr).toContain('invalid_state')
  })

  test('idempotency_conflict', async () => {
    const shop = await open()
    const payment = await shop.pay('probe_receipt')
    const [one, other] = await Promise.all([
      place().write('one.png', png()),
      place().write('other.jpg', jpeg()),
    ])
    const submit = (file: string) =>
      shop.paysim(`payments submit-receipt ${payment.id} --idempotency-key slip-1 --file`, [file])
    expect(await submit(one)).toMatchObject({ code: 0 })
    const { code, stderr } = await submit(other)
    expect(code, stderr).toBe(5)
    expect(stderr).toContain('idempotency_conflict')
  })

  test('provider_capability_unsupported', async () => {
    const shop = await open()
    const payment = await shop.pay('probe_fixed')
    const { code, stderr } = await shop.paysim(`payments cancel ${payment.id}`)
    expect(code, stderr).toBe(5)
    expect(stderr).toContain('provider_capability_unsupported')
  })
})

describe('6: no route', () => {
  test('routing_unavailable', async () => {
    const shop = await open()
    const { code, stderr } = await shop.paysim('payments create', paying('probe_sick'))
    expect(code, stderr).toBe(6)
    expect(stderr).toContain('routing_unavailable')
  })

  test('payment_configuration_unavailable', async () => {
    const shop = await open()
    const { code, stderr } = await shop.paysim(
      'payments create',
      paying('probe_banks', '--option', 'bank=omega'),
    )
    expect(code, stderr).toBe(6)
    expect(stderr).toContain('payment_configuration_unavailable')
  })
})

describe('7: no answer, or none of this API', () => {
  test('nobody listens there', async () => {
    const shop = await open()
    // The port of a service that nobody has offered for decades.
    const env = { PAYSIM_BASE_URL: 'http://127.0.0.1:1' }
    const { code, stdout, stderr } = await shop.paysim('payouts list --retries 1', [], { env })
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain('127.0.0.1:1')
  })

  test.each([
    ['a web page', 200, '<!doctype html><title>Welcome to nginx!</title>'],
    ['a web page with a fault', 404, '<!doctype html><title>Welcome to nginx!</title>'],
    ['nothing', 200, ''],
    ['half of it', 200, '{"data": ['],
  ])('%s, with %i', async (_, status, body) => {
    const shop = await open()
    const env = { PAYSIM_BASE_URL: await answering(status, body) }
    const { code, stdout, stderr } = await shop.paysim('payouts list --retries 0 -o json', [], { env })
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain(String(status))
    if (body !== '') expect(stderr, 'the first bytes are shown').toContain(body.slice(0, 9))
  })

  test.each(['truncate', 'empty', 'garbage', 'reset'])('a fault rule: %s', async type => {
    const shop = await open()
    const payment = await shop.pay('probe_qr')
    await shop.control('PUT', '/faults', { body: { faults: [{ on: '*', type }] } })
    const { code, stdout, stderr } = await shop.paysim(`payments get ${payment.id} --retries 0 -o json`)
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
  })
})

describe('8: time ran out', () => {
  test('wait', async () => {
    const shop = await open()
    const payment = await shop.pay('probe_transfer')
    expect(await shop.paysim(`payments wait ${payment.id} --timeout 300ms`)).toMatchObject({ code: 8 })
  })

  test('listen', async () => {
    const { code, stdout, stderr } = await listen('--count', '1', '--timeout', '300ms').ended
    expect({ code, stdout }, stderr).toEqual({ code: 8, stdout: '' })
  })
})

test('9: it ended, but not as wanted', async () => {
  const shop = await open()
  const payment = await shop.pay('probe_transfer')
  await shop.control('POST', `/payments/${payment.id}/fail`, { body: {} })
  const wait = (...more: string[]) => shop.paysim(`payments wait ${payment.id} -o json`, more)
  const [succeeded, either, expired] = await Promise.all([
    wait('--until', 'succeeded'),
    wait('--until', 'succeeded,failed'),
    wait('--until', 'expired'),
  ])
  expect([succeeded, either, expired]).toMatchObject([{ code: 9 }, { code: 0 }, { code: 9 }])
  expect(JSON.parse(succeeded.stdout), 'how it ended is still the answer').toMatchObject({ status: 'failed' })
})

test('10: an expectation failed', async () => {
  const file = await place().write('bad.yaml', BAD)
  expect(await place().paysim(['run', '--embedded', file])).toMatchObject({ code: 10 })
})

describe.skipIf(process.platform === 'win32')('130: interrupted', () => {
  test('wait', async () => {
    const shop = await open()
    const payment = await shop.pay('probe_transfer')
    const waiting = shop.start(`payments wait ${payment.id}`)
    await waiting.says(/pending/)
    waiting.interrupt()
    expect(await waiting.ended).toMatchObject({ code: 130, stdout: '' })
  })

  test('a listing of all', async () => {
    const shop = await open()
    await Promise.all(['first', 'second'].map(reference => shop.payout(reference)))
    const faults = [{ on: 'GET /payout_intents', nth: 2, type: 'latency', delay: '1h' }]
    await shop.control('PUT', '/faults', { body: { faults } })
    const listing = shop.start('payouts list --all --limit 1 -o jsonl')
    await listing.says(/\n/)
    listing.interrupt()
    const { code, stdout, stderr } = await listing.ended
    expect(code, stderr).toBe(130)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr, 'where to go on from').toContain('--cursor ')
  })

  test('listen', async () => {
    const listening = listen()
    await listening.says(/http:/)
    listening.interrupt()
    expect(await listening.ended).toMatchObject({ code: 130, stdout: '' })
    const { body } = await server.control('GET', '/accounts/default.test/webhook-endpoints')
    expect(body.data, 'the endpoint is gone with it').toEqual([])
  })
})

function listen(...more: string[]): Running {
  keepSecret(server.controlToken)
  const env = { PAYSIM_CONTROL_URL: server.controlUrl, PAYSIM_CONTROL_TOKEN: server.controlToken }
  return place().start(['webhooks', 'listen', ...more], { env })
}

async function answering(status: number, body: string): Promise<string> {
  const site = createServer((_, answer) => {
    answer.writeHead(status, { 'content-type': 'text/html', connection: 'close' }).end(body)
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    site.close()
    site.closeAllConnections()
  })
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}
