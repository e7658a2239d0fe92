import { describe, expect, onTestFinished, test } from 'vitest'
import { by } from '../support/cli/orders.ts'
import { openSite } from '../support/cli/site.ts'
import { keepSecret, type Running } from '../support/cli/workplace.ts'
import { inTheSimulator } from '../support/cli/worlds.ts'
import { BAD } from '../support/scenario/workspace.ts'

/** Each exit code that scripts go by, by what brings it about. `exec` has its own in exec.test.ts. */
inTheSimulator(world => {
  test('0 means success', async () => {
    const shop = await world().shop()
    const payment = await shop.pay('probe_qr')
    const runs = await Promise.all([
      shop.paysim(`payments get ${payment.id}`),
      shop.paysim('payments create', by('probe_transfer')),
      shop.paysim('payments create --help'),
      shop.paysim('payouts list'),
    ])
    expect(runs).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }, { code: 0 }])
  })

  describe('1 means an unexpected error:', () => {
    test.each([500, 502, 503])('the server answers %i', async status => {
      const shop = await world().shop()
      await shop.control('PUT', '/faults', { body: { faults: [{ on: '*', type: 'status', status }] } })
      const { code, stdout, stderr } = await shop.paysim('payouts list --retries 0 -o json')
      expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain(`HTTP ${status}`)
    })

    test('the server fails at every retry', async () => {
      const shop = await world().shop()
      const faults = [{ on: '*', type: 'status', status: 503 }]
      await shop.control('PUT', '/faults', { body: { faults } })
      expect(await shop.paysim('payouts list --retries 2')).toMatchObject({ code: 1, stdout: '' })
      expect(await shop.requests()).toHaveLength(3)
    })
  })

  // What ends before a call is in usage/mistakes.test.ts.
  describe('2 means wrong usage:', () => {
    test('the server refuses a field', async () => {
      const shop = await world().shop()
      const [cursor, raw] = await Promise.all([
        shop.paysim('payouts list --cursor nonsense'),
        shop.paysim('request POST /payment_intents --data {}'),
      ])
      expect(cursor).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('validation_failed'),
      })
      expect(raw).toMatchObject({ code: 2, stderr: expect.stringContaining('validation_failed') })
      expect(raw.stderr, 'each field has its line').toMatch(/\n\s+amount: /)
    })
  })

  // What else a server refuses, with 3 to 6, is in contract-suite/refusals.test.ts.
  test('4 means that the record does not exist', async () => {
    const shop = await world().shop()
    const runs = await Promise.all([
      shop.paysim('payments wait pi_nobodys'),
      shop.paysim('payments cancel pi_nobodys'),
    ])
    for (const { code, stdout, stderr } of runs) {
      expect({ code, stdout }, stderr).toEqual({ code: 4, stdout: '' })
      expect(stderr).toContain('not_found')
    }
  })

  describe('7 means no answer, or no answer of this API:', () => {
    test('nothing listens on the port', async () => {
      const shop = await world().shop()
      // The port of a service that nobody has offered for decades.
      const env = { PAYSIM_BASE_URL: 'http://127.0.0.1:1' }
      const { code, stdout, stderr } = await shop.paysim('payouts list --retries 1', [], { env })
      expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
      expect(stderr).toContain('127.0.0.1:1')
    })

    test.each([
      ['a web page', 200, '<!doctype html><title>Welcome to nginx!</title>'],
      ['a web page for an error', 404, '<!doctype html><title>Welcome to nginx!</title>'],
      ['nothing', 200, ''],
      ['half of it', 200, '{"data": ['],
    ])('%s, with status %i', async (_, status, body) => {
      const shop = await world().shop()
      const env = { PAYSIM_BASE_URL: await answering(status, body) }
      const { code, stdout, stderr } = await shop.paysim('payouts list --retries 0 -o json', [], { env })
      expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
      expect(stderr).toContain(String(status))
      if (body !== '') expect(stderr, 'the first bytes are shown').toContain(body.slice(0, 9))
    })

    test.each(['truncate', 'empty', 'garbage', 'reset'])('the fault %s damages the answer', async type => {
      const shop = await world().shop()
      const payment = await shop.pay('probe_qr')
      await shop.control('PUT', '/faults', { body: { faults: [{ on: '*', type }] } })
      const { code, stdout, stderr } = await shop.paysim(`payments get ${payment.id} --retries 0 -o json`)
      expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
    })
  })

  describe('8 means that time ran out:', () => {
    test('a wait ends before the payment has the status', async () => {
      const shop = await world().shop()
      const payment = await shop.pay('probe_transfer')
      expect(await shop.paysim(`payments wait ${payment.id} --timeout 300ms`)).toMatchObject({ code: 8 })
    })

    test('a listener ends before the webhooks arrive', async () => {
      const { code, stdout, stderr } = await listen('--count', '1', '--timeout', '300ms').ended
      expect({ code, stdout }, stderr).toEqual({ code: 8, stdout: '' })
    })
  })

  test('9 means that a payment ended in another status', async () => {
    const shop = await world().shop()
    const payment = await shop.pay('probe_transfer')
    await shop.control('POST', `/payments/${payment.id}/fail`, { body: {} })
    const wait = (...more: string[]) => shop.paysim(`payments wait ${payment.id} -o json`, more)
    const [succeeded, either, expired] = await Promise.all([
      wait('--until', 'succeeded'),
      wait('--until', 'succeeded,failed'),
      wait('--until', 'expired'),
    ])
    expect([succeeded, either, expired]).toMatchObject([{ code: 9 }, { code: 0 }, { code: 9 }])
    expect(JSON.parse(succeeded.stdout), 'how it ended is still the answer').toMatchObject({
      status: 'failed',
    })
  })

  test('10 means that an expectation failed', async () => {
    const file = await world().place.write('bad.yaml', BAD)
    expect(await world().place.paysim(['run', '--embedded', file])).toMatchObject({ code: 10 })
  })

  describe.skipIf(process.platform === 'win32')('130 means that it was interrupted:', () => {
    test('a wait ends without its status', async () => {
      const shop = await world().shop()
      const payment = await shop.pay('probe_transfer')
      const waiting = shop.start(`payments wait ${payment.id}`)
      await waiting.says(/pending/)
      waiting.interrupt()
      expect(await waiting.ended).toMatchObject({ code: 130, stdout: '' })
    })

    test('a listing of all pages stops', async () => {
      const shop = await world().shop()
      await Promise.all(['first', 'second'].map(reference => shop.payout(reference)))
      const faults = [{ on: 'GET /payout_intents', nth: 2, type: 'latency', delay: '1h' }]
      await shop.control('PUT', '/faults', { body: { faults } })
      const listing = shop.start('payouts list --all --page-size 1 -o jsonl')
      await listing.says(/\n/)
      listing.interrupt()
      const { code, stdout, stderr } = await listing.ended
      expect(code, stderr).toBe(130)
      expect(stdout.trimEnd().split('\n')).toHaveLength(1)
      expect(stderr, 'where to go on from').toContain('--cursor ')
    })

    test('a listener ends without its webhooks', async () => {
      const listening = listen()
      await listening.says(/http:/)
      listening.interrupt()
      expect(await listening.ended).toMatchObject({ code: 130, stdout: '' })
      const { body } = await world().server.control('GET', '/accounts/default.test/webhook-endpoints')
      expect(body.data, 'the endpoint is gone with it').toEqual([])
    })
  })

  function listen(...more: string[]): Running {
    keepSecret(world().server.controlToken)
    const env = {
      PAYSIM_CONTROL_URL: world().server.controlUrl,
      PAYSIM_CONTROL_TOKEN: world().server.controlToken,
    }
    return world().place.start(['webhooks', 'listen', ...more], { env })
  }
})

async function answering(status: number, body: string): Promise<string> {
  const { url, close } = await openSite((_, answer) => {
    answer.writeHead(status, { 'content-type': 'text/html', connection: 'close' }).end(body)
  })
  onTestFinished(close)
  return url
}
