import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ENDPOINT_KINDS } from '../../src/application/disturbance.ts'
import { verifyWebhook } from '../../src/contract/webhook-signature.ts'
import {
  checkEndpoint,
  type EndpointSettings,
  EndpointUnreachableError,
} from '../../src/explore/endpoint-check.ts'

const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`

interface Event {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly id: string; readonly merchant_reference: string }
}

/** A shop's state, and how it takes a webhook. */
interface Shop {
  readonly state: Record<string, unknown>
  readonly take: (event: Event, headers: IncomingHttpHeaders) => number | Promise<number>
  readonly accepts?: (headers: IncomingHttpHeaders, body: string) => boolean
}

function isSigned(headers: IncomingHttpHeaders, body: string, now = Date.now() / 1000): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature = '' } = headers
  if (!(Math.abs(now - Number(at)) < 300)) return false
  return verifyWebhook({ id: String(id), timestamp: Number(at), body }, String(signature), SECRET)
}

async function check(shop: Shop, settings: Partial<EndpointSettings> = {}) {
  const accepts = shop.accepts ?? isSigned
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const status = accepts(request.headers, body)
      ? await Promise.resolve(JSON.parse(body))
          .then(event => shop.take(event, request.headers))
          .catch(() => 500)
      : 401
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { verdicts, notes } = await checkEndpoint({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    secret: SECRET,
    kinds: ENDPOINT_KINDS,
    state: async () => JSON.stringify(shop.state),
    withinMs: 150,
    ...settings,
  }).finally(() => server.close())
  const found = verdicts.filter(({ problems }) => problems.length > 0)
  return { found: found.map(({ kind }) => kind), problems: found.flatMap(one => one.problems), notes }
}

/** Shops that count what they shipped, in one number for all orders. */
function counting() {
  const seen = new Set<string>()
  const state = { shipped: 0, failed: 0 }
  const ship = ({ type }: Event) => {
    if (type === 'payment.succeeded') state.shipped += 1
    if (type === 'payment.failed') state.failed += 1
    return 200
  }
  return { seen, state, ship }
}

/** Shops with a status for each order. */
function keeping() {
  const orders: Record<string, { status: string; paid_at: string }> = {}
  const become = ({ data }: Event, status: string) => {
    orders[data.merchant_reference] = { status, paid_at: new Date().toISOString() }
    return 200
  }
  return { orders, become, statusOf: ({ data }: Event) => orders[data.merchant_reference]?.status }
}

const RIGHT: Record<string, () => Shop> = {
  'by event id, with a count for all orders'() {
    const { seen, state, ship } = counting()
    return {
      state,
      take(event) {
        if (seen.has(event.id)) return 200
        seen.add(event.id)
        return ship(event)
      },
    }
  },
  'by event id, and it shows which events it knows'() {
    const events: string[] = []
    const rows: { row: number; order: string }[] = []
    return {
      state: { events, rows },
      take({ id, type, data }) {
        if (events.includes(id)) return 200
        events.push(id)
        if (type === 'payment.succeeded') rows.push({ row: rows.length + 1, order: data.merchant_reference })
        return 200
      },
    }
  },
  'by state, with the time of the payment'() {
    const { orders, become, statusOf } = keeping()
    return {
      state: { orders },
      take: event =>
        event.type === 'payment.succeeded' && statusOf(event) === undefined ? become(event, 'paid') : 200,
    }
  },
  'with a worker behind the answer'() {
    const { seen, state, ship } = counting()
    return {
      state,
      take(event) {
        if (seen.has(event.id)) return 202
        seen.add(event.id)
        setTimeout(() => ship(event), 30)
        return 202
      },
    }
  },
}

test.concurrent.each(Object.entries(RIGHT))('a correct endpoint is not blamed: %s', async (_, shop) => {
  // A right one is waited for only until it has followed.
  const { problems, notes } = await check(shop(), { withinMs: 60_000 })
  expect(problems).toEqual([])
  expect(notes).toEqual([])
})

const WRONG: [kind: string, what: string, shop: () => Shop][] = [
  [
    'webhook-twice',
    'ships at each event',
    () => {
      const { state, ship } = counting()
      return { state, take: ship }
    },
  ],
  [
    'webhook-twice',
    'refuses an event that it knows',
    () => {
      const { state, ship, seen } = counting()
      return {
        state,
        take(event) {
          if (seen.has(event.id)) return 409
          seen.add(event.id)
          return ship(event)
        },
      }
    },
  ],
  [
    'webhook-twice-at-once',
    'looks before it waits',
    () => {
      const { state, ship, seen } = counting()
      return {
        state,
        async take(event) {
          if (seen.has(event.id)) return 200
          await pause(10)
          seen.add(event.id)
          return ship(event)
        },
      }
    },
  ],
  [
    'webhook-order',
    'believes the last event',
    () => {
      const { orders, become } = keeping()
      return { state: { orders }, take: event => become(event, event.type) }
    },
  ],
  [
    'webhook-late',
    'drops what is old',
    () => {
      const { state, ship, seen } = counting()
      return {
        state,
        take(event) {
          const isOld = Date.now() - Date.parse(event.timestamp) > 3_600_000
          if (isOld || seen.has(event.id)) return 200
          seen.add(event.id)
          return ship(event)
        },
      }
    },
  ],
  [
    'webhook-lost-answer',
    'knows the last event alone',
    () => {
      const { state, ship } = counting()
      let last = ''
      return {
        state,
        take(event) {
          if (event.id === last) return 200
          last = event.id
          return ship(event)
        },
      }
    },
  ],
  [
    'webhook-unknown-field',
    'drops an event with a member that it does not know',
    () => {
      const { state, ship, seen } = counting()
      return {
        state,
        take(event) {
          if (Object.keys(event).length !== 5 || seen.has(event.id)) return 200
          seen.add(event.id)
          return ship(event)
        },
      }
    },
  ],
  [
    'webhook-unknown-type',
    'falls over a type that it does not know',
    () => {
      const { state, ship, seen } = counting()
      return {
        state,
        take(event) {
          if (!/succeeded|failed|updated/.test(event.type)) return 500
          if (seen.has(event.id)) return 200
          seen.add(event.id)
          return ship(event)
        },
      }
    },
  ],
]

const believing = (accepts: Shop['accepts']) => () => {
  const { state, ship, seen } = counting()
  const take = (event: Event) => {
    if (seen.has(event.id)) return 200
    seen.add(event.id)
    return ship(event)
  }
  return { state, take, ...(accepts ? { accepts } : {}) }
}

WRONG.push(
  ['webhook-forged', 'does not verify', believing(() => true)],
  [
    'webhook-unsigned',
    'verifies only what is signed',
    believing((headers, body) => !headers['webhook-signature'] || isSigned(headers, body)),
  ],
  [
    'webhook-stale',
    'does not look at the timestamp',
    believing((headers, body) => isSigned(headers, body, Number(headers['webhook-timestamp']))),
  ],
)

test.concurrent.each(WRONG)('%s finds an endpoint that %s', async (kind, _, shop) => {
  const { found, problems } = await check(shop())
  expect(found, problems.join('\n')).toContain(kind)
  expect(found).not.toContain('plain')
})

test('without the state, the answers to forged webhooks count', async () => {
  const right = await check({ state: {}, take: () => 200 }, { state: undefined })
  expect(right.problems).toEqual([])
  expect(right.notes[0]).toContain('--state')
  const wrong = await check({ state: {}, take: () => 200, accepts: () => true }, { state: undefined })
  expect(wrong.found).toEqual(['webhook-forged', 'webhook-unsigned', 'webhook-stale'])
})

test.concurrent('an event of the caller is sent under its own id, and changes the state once', async () => {
  const { orders, become, statusOf } = keeping()
  const event = {
    id: 'evt_of_the_shop',
    type: 'payment.succeeded',
    timestamp: '2031-05-01T10:00:00Z',
    environment: 'test',
    data: { id: 'pi_1', merchant_reference: 'order-1', status: 'succeeded' },
  }
  const shop: Shop = {
    state: { orders },
    take: one => {
      if (one.data.merchant_reference !== 'order-1') return 404
      return one.type === 'payment.succeeded' && statusOf(one) === undefined ? become(one, 'paid') : 200
    },
  }
  expect(await check(shop, { event })).toEqual({ found: [], problems: [], notes: [] })
  expect(Object.keys(orders)).toEqual(['order-1'])
})

test('an endpoint that refuses an ordinary event receives nothing else', async () => {
  let taken = 0
  const { found, problems, notes } = await check({
    state: {},
    take: () => {
      taken += 1
      return 404
    },
  })
  expect({ found, taken }).toEqual({ found: ['plain'], taken: 1 })
  expect(problems[0]).toMatch(/answered 404.*--event/)
  expect(notes[0]).toContain('Nothing else was sent')
})

test.concurrent('a state that an ordinary event does not change is reported', async () => {
  const { notes } = await check({ state: { orders: {} }, take: () => 200 })
  expect(notes[0]).toMatch(/did not change the state.*--event/)
})

test('an address without an endpoint is a separate error', async () => {
  const settings = { url: 'http://127.0.0.1:1/', secret: SECRET, kinds: ENDPOINT_KINDS, withinMs: 10 }
  await expect(checkEndpoint(settings)).rejects.toBeInstanceOf(EndpointUnreachableError)
})
