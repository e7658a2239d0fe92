import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { controlOperations } from '../../src/contract/control/operations.ts'
import { Simulator } from '../../src/simulator.ts'
import { forgetWhatWasRead, syncReads } from '../support/engine/sync-reads.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'

/**
 * While a record is read synchronously, nobody else is answered. Here every record is on disk, and none in memory, before
 * each call: whatever it is about, it must fetch what it needs before it decides about it, or shows it.
 */

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const PAYMENT = { amount: '5000', currency: 'THB', country: 'TH', customer: { name: 'Somchai' } }
const PAYOUT = {
  ...{ amount: '5000', currency: 'THB', country: 'TH', merchant_reference: 'payout' },
  recipient: { bank_code: 'bbl', holder_name: 'Somchai', account_number: '1234567890' },
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly body: any
}
interface Options {
  readonly body?: unknown
  readonly form?: FormData
  readonly key?: string
}
type Call = (method: string, path: string, options?: Options) => Promise<Answer>

async function start(dataDir: string) {
  const simulator = await Simulator.start({
    dataDir,
    port: 0,
    clock: 'virtual',
    controlToken: 'a control token',
  })
  const { url, control_url, accounts } = simulator.facts()
  const keys = accounts.find(({ id }) => id === 'default.test')
  const basic = Buffer.from(`${keys?.public_key}:${keys?.secret_key}`).toString('base64')
  const runtime = await simulator.gateway.account('default.test')?.open()
  if (!runtime?.checkpoints) throw new Error('the account is not on disk')
  const { account, checkpoints } = runtime
  const caller =
    (base: string, authorization: string): Call =>
    async (method, path, { body, form, key } = {}) => {
      const response = await fetch(base + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(authorization ? { authorization } : {}),
          ...(form || body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key ? { 'idempotency-key': key } : {}),
        },
        body: form ?? (body === undefined ? null : JSON.stringify(body)),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return { status: response.status, body: isJson ? JSON.parse(text) : text }
    }
  /** Takes everything out of memory, and counts what is then read synchronously. */
  const counted =
    (call: Call): Call =>
    async (...given) => {
      await account.settled()
      await checkpoints.begin()
      await checkpoints.idle()
      forgetWhatWasRead()
      const before = syncReads()
      const answer = await call(...given)
      const { status, body } = answer
      expect(status, `${given[0]} ${given[1]}: ${JSON.stringify(body).slice(0, 300)}`).toBeLessThan(400)
      await account.settled()
      expect({ call: `${given[0]} ${given[1]}`, reads: syncReads() - before }).toEqual({
        call: `${given[0]} ${given[1]}`,
        reads: 0,
      })
      return answer
    }
  return {
    simulator,
    close: () => simulator.stop(),
    merchant: counted(caller(url, `Basic ${basic}`)),
    page: counted(caller('', '')),
    control: counted(caller(`${control_url}/accounts/default.test`, 'Bearer a control token')),
  }
}

/** A receiver that refuses while `isDown`. */
async function aReceiver() {
  const state = { isDown: true }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(state.isDown ? 500 : 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` }
}

const withImage = () => {
  const form = new FormData()
  form.set('file', new Blob([PNG], { type: 'image/png' }), 'receipt.png')
  return form
}

/** They show no record, never end, or replace everything. */
const LEFT_OUT = /stream|import|export|reset|keys|catalogue|rules|faults|holds|images|requests|verify|return/

test('no record is read synchronously for any call, page, list, timer or webhook', async () => {
  const dataDir = await temporaryDirectory()
  const receiver = await aReceiver()
  let server = await start(dataDir)
  onTestFinished(() => server.simulator.stop())
  const called = new Set<string>()
  const control: Call = (method, path, options) => {
    const name = path.split('?')[0]?.replace(/(pi|po|dlv|evt|we)_\w+/, ':id')
    called.add(`${method} /accounts/:account${name}`)
    return server.control(method, path, options)
  }
  const get = async (path: string) => (await control('GET', path)).body
  const post = async (path: string, options?: Options) => (await control('POST', path, options)).body
  const pay = async (key: string, more: object = {}) => {
    const body = { ...PAYMENT, merchant_reference: key, ...more }
    return (await server.merchant('POST', '/payment_intents', { body, key })).body
  }

  const hook = { url: receiver.url, events: ['*'] }
  const endpoint = (await post('/webhook-endpoints', { body: hook })).id
  const rules = [
    {
      match: { kind: 'payment', merchant_reference: 'later' },
      outcome: { after: '1h', status: 'succeeded' },
    },
    { match: { kind: 'payout', merchant_reference: 'later' }, approval: { after: '1h' } },
  ]
  await control('PUT', '/rules', { body: { rules } })
  const hosted = await pay('hosted')
  await control('POST', '/clock/advance', { body: { by: '10s' } })

  await server.simulator.stop()
  server = await start(dataDir)

  // The same order again.
  expect((await pay('hosted')).id).toBe(hosted.id)
  await server.merchant('GET', '/payment_methods/options?amount=5000&currency=THB&country=TH')
  const { body: shown } = await server.merchant('GET', `/payment_intents/${hosted.id}`)
  await server.page('GET', shown.next_action.url)

  // Each payment and payout goes on as far as it can, in each way.
  const chosen = async (reference: string, method: string) => {
    const { id } = await pay(reference)
    const customer = { customer_name: 'Somchai', customer_phone: '0812345678' }
    await post(`/payments/${id}/choose`, { body: { method, ...customer } })
    return id
  }
  const moved = async (kind: 'payments' | 'payouts', id: string, nth: number): Promise<void> => {
    const { moves } = await get(`/${kind}/${id}`)
    const isNew = ({ trigger }: { trigger: string }) =>
      !called.has(`POST /accounts/:account/${kind}/:id/${trigger}`)
    const { trigger } = moves.find(isNew) ?? moves[nth % moves.length] ?? {}
    if (trigger) await post(`/${kind}/${id}/${trigger}`)
    // An action may be withdrawn and presented again, and again.
    if (trigger) await moved(kind, id, nth + 1)
  }
  for (let nth = 0; nth < 6; nth++) {
    const id = await chosen(`moved ${nth}`, nth % 2 === 0 ? 'th_promptpay' : 'th_bank_transfer')
    if (nth === 1) await post(`/payments/${id}/receipt`, { form: withImage() })
    if (nth === 3) {
      const { id: asset_id } = await post('/assets?kind=payment_receipt', { form: withImage() })
      await server.merchant('POST', `/payment_intents/${id}/receipt`, { body: { asset_id } })
    }
    if (nth === 5)
      await server.merchant('POST', `/payment_intents/${id}/receipt`, { form: withImage(), key: 'receipt' })
    await moved('payments', id, nth)
  }
  for (let nth = 0; nth < 4; nth++) {
    const { id } = await post('/payouts', { body: PAYOUT, key: `payout ${nth}` })
    expect((await post('/payouts', { body: PAYOUT, key: `payout ${nth}` })).id).toBe(id)
    if (nth === 3) await server.merchant('POST', `/payout_intents/${id}/cancel`)
    else await moved('payouts', id, nth)
  }
  const cancelled = await chosen('cancelled', 'th_promptpay')
  await server.merchant('POST', `/payment_intents/${cancelled}/cancel-pending`, { body: {}, key: 'cancel' })
  await moved('payments', cancelled, 0)
  for (const query of ['', '?merchant_reference=payout&limit=2', '?status=cancelled&country=TH'])
    await server.merchant('GET', `/payout_intents${query}`)

  // Timers, and webhooks that are tried again, by hand too.
  const later = await chosen('later', 'th_promptpay')
  await post('/payouts', { body: { ...PAYOUT, merchant_reference: 'later' } })
  await control('POST', '/clock/advance', { body: { by: '2h' } })
  expect((await get(`/payments/${later}`)).status).toBe('succeeded')
  const deliveries = (await get('/webhook-deliveries')).data
  const failing = deliveries.find(({ status }: { status: string }) => status === 'pending')
  await post('/events', { body: { event: failing.event } })
  await post(`/webhook-deliveries/${failing.id}/redeliver`)
  receiver.state.isDown = false
  await control('POST', '/clock/advance', { body: { by: '1h' } })

  // Every list, and every view of each record.
  const payout = (await get('/payouts')).data[0].id
  const records = [hosted.id, later, payout, failing.id]
  await get(`/scenario?id=${later}`)
  for (const call of Object.keys(controlOperations('any'))) {
    const [method, path = ''] = call.split(' /accounts/:account')
    if (method !== 'GET' || path === '' || LEFT_OUT.test(path) || path === '/scenario') continue
    const kinds = {
      '/payments/:id': [hosted.id, later],
      '/payouts/:id': [payout],
      '/webhook-deliveries/:id': [failing.id],
    }
    const ids =
      kinds[path as keyof typeof kinds] ?? (path.startsWith('/timeline') ? records.slice(0, 3) : records)
    for (const id of path.includes(':id') ? ids : ['']) await get(path.replace(':id', id))
  }
  for (const list of ['payments', 'payouts', 'webhook-deliveries']) {
    await get(`/browse/${list}?q=later&limit=5`)
    await get(`/browse/${list}?limit=5&offset=3`)
  }
  await get('/timers?limit=5')

  // The endpoint goes, with what still waits for it.
  receiver.state.isDown = true
  await post(`/webhook-endpoints/${endpoint}/rotate-secret`)
  await post('/events', { body: { type: 'payment.updated' } })
  await control('POST', '/clock/advance', { body: { by: '1s' } })
  await control('DELETE', `/webhook-endpoints/${endpoint}`)
  await control('POST', '/clock/advance', { body: { until: 'idle' } })
  await control('PUT', '/clock', { body: { mode: 'real' } })

  const all = Object.keys(controlOperations('any')).filter(call => call.includes('/:account/'))
  expect(all.filter(call => !LEFT_OUT.test(call) && !called.has(call))).toEqual([])
}, 120_000)
