import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { clearFaults, type Fault, putFaults } from '../../support/provider/faults.ts'
import { type Delivery, listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

async function listening(...faults: Fault[]) {
  const account = await openAccount(server())
  const receiver = await listen(account)
  await putFaults(account, ...faults.map(fault => ({ on: 'webhook', ...fault })))
  return { account, receiver }
}

/** A payment that ends so, and with it one event. */
async function end(account: Account, how: 'succeed' | 'fail' | 'expire' = 'succeed'): Promise<string> {
  const { id } = await createPayment(account)
  await succeeded(account.trigger(id, how))
  await settle(account)
  return id
}

const about = (deliveries: Delivery[]) => deliveries.map(({ event }) => event.data.id)
const eventsOf = (account: Account): Promise<Json[]> => rows(account.control('GET', '/events'))

function verifies(receiver: { endpoint: Json }, { text, headers }: Delivery): boolean {
  try {
    new Webhook(receiver.endpoint.secret).verify(text, headers)
    return true
  } catch {
    return false
  }
}

test('faults that are set again keep their counts, also while they are off', async () => {
  const [drop, bad] = [
    { on: 'webhook', type: 'drop', times: 1 },
    { on: 'webhook', nth: 2, type: 'bad_signature' },
  ]
  const { account, receiver } = await listening(drop, bad)
  await end(account)
  await putFaults(account, { on: '*', nth: 99, type: 'reset' }, { ...bad, off: true }, drop)
  await end(account)
  await putFaults(account, bad, drop)
  await end(account)
  await end(account)
  expect(receiver.deliveries.map(one => verifies(receiver, one))).toEqual([true, true, false])
  expect((await account.control('GET', '/faults')).body.used).toEqual([1, 1])
})

describe('delay', () => {
  test('holds the webhook back for exactly that long', async () => {
    const { account, receiver } = await listening({ type: 'delay', delay: '10m' })
    const id = await end(account)
    await account.advance('599999ms')
    expect(receiver.deliveries).toEqual([])
    await account.advance('1ms')
    expect(about(receiver.deliveries)).toEqual([id])
    await account.advance('30d')
    expect(receiver.deliveries).toHaveLength(1)
    expect(receiver.deliveries.every(one => verifies(receiver, one))).toBe(true)
  })

  test('does not change the time or the record in the event', async () => {
    const { account, receiver } = await listening({ type: 'delay', delay: '10m' })
    const at = await account.now()
    await end(account)
    await account.advance('10m')
    expect(receiver.deliveries[0]?.event).toMatchObject({ timestamp: at, data: { updated_at: at } })
  })

  test('lets a later event arrive first', async () => {
    const { account, receiver } = await listening({ type: 'delay', delay: '10m', times: 1 })
    const ids = [await end(account), await end(account)]
    await account.advance('10m')
    expect(about(receiver.deliveries)).toEqual(ids.toReversed())
  })
})

describe('duplicate', () => {
  test('delivers the same event twice: one id, one body, two valid signatures', async () => {
    const { account, receiver } = await listening({ type: 'duplicate' })
    const id = await end(account)
    await account.advance('30d')
    expect(about(receiver.deliveries)).toEqual([id, id])
    const [first, second] = receiver.deliveries
    expect(second?.text).toBe(first?.text)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(receiver.deliveries.every(one => verifies(receiver, one))).toBe(true)
    expect(await eventsOf(account), 'it is one event').toHaveLength(1)
  })
})

describe('drop', () => {
  test('never delivers the event, but still lists it', async () => {
    const { account, receiver } = await listening({ type: 'drop', times: 1 })
    const [dropped, next] = [await end(account), await end(account)]
    await account.advance('30d')
    expect(about(receiver.deliveries)).toEqual([next])
    expect((await eventsOf(account)).map(({ data }) => data.id)).toEqual([dropped, next])
  })

  test('leaves no pending timer', async () => {
    const { account } = await listening({ type: 'drop' })
    await end(account)
    expect((await account.control('GET', '/clock')).body).toMatchObject({ pending_timers: 0, next_due: null })
  })
})

describe('reorder', () => {
  test('lets the next event overtake it', async () => {
    const { account, receiver } = await listening({ type: 'reorder', times: 1 })
    const ids = [await end(account), await end(account), await end(account)]
    await account.advance('30d')
    const [first, second, third] = ids
    expect(about(receiver.deliveries).filter(id => id !== third)).toEqual([second, first])
    expect(about(receiver.deliveries).toSorted()).toEqual(ids.toSorted())
  })

  test('loses nothing if no other event follows', async () => {
    const { account, receiver } = await listening({ type: 'reorder' })
    const id = await end(account)
    expect(receiver.deliveries).toEqual([])
    await account.advance('30d')
    expect(about(receiver.deliveries)).toEqual([id])
  })

  test('loses and repeats nothing if every event is held', async () => {
    const { account, receiver } = await listening({ type: 'reorder' })
    const ids = [await end(account), await end(account), await end(account), await end(account)]
    await account.advance('30d')
    expect(about(receiver.deliveries).toSorted()).toEqual(ids.toSorted())
  })

  test('also changes the order without limits', async () => {
    const { account, receiver } = await listening({ type: 'reorder' })
    const ids = [await end(account), await end(account), await end(account), await end(account)]
    await account.advance('30d')
    expect(about(receiver.deliveries)).not.toEqual(ids)
  })
})

describe('bad_signature', () => {
  test('delivers an event whose signature fails to verify, otherwise unchanged', async () => {
    const { account, receiver } = await listening({ type: 'bad_signature', times: 1 })
    const ids = [await end(account), await end(account)]
    expect(about(receiver.deliveries)).toEqual(ids)
    expect(receiver.deliveries.map(one => verifies(receiver, one))).toEqual([false, true])
    expect(receiver.deliveries[0]?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
  })

  test('sends a bad signature on every attempt until the receiver accepts', async () => {
    const { account, receiver } = await listening({ type: 'bad_signature' })
    receiver.reply(nth => ({ status: nth < 3 ? 400 : 204 }))
    await end(account)
    await account.advance('30d')
    expect(receiver.deliveries.map(one => verifies(receiver, one))).toEqual([false, false, false])
  })
})

describe('a fault affects the events that it names', () => {
  test.each<[unknown, string[]]>([
    ['payment.succeeded', ['payment.succeeded']],
    [
      ['payment.failed', 'payment.expired'],
      ['payment.expired', 'payment.failed'],
    ],
    [undefined, ['payment.expired', 'payment.failed', 'payment.succeeded']],
  ])('%j', async (type, stricken) => {
    const { account, receiver } = await listening({ type: 'drop', ...(type ? { match: { type } } : {}) })
    for (const how of ['succeed', 'fail', 'expire'] as const) await end(account, how)
    const arrived = receiver.deliveries.map(({ event }) => event.type)
    const all = (await eventsOf(account)).map(event => event.type)
    expect(all.filter(name => !arrived.includes(name)).toSorted()).toEqual(stricken)
  })

  test('the first matching fault wins', async () => {
    const { account, receiver } = await listening(
      { type: 'drop', match: { type: 'payment.failed' } },
      { type: 'duplicate' },
    )
    const [paid] = [await end(account), await end(account, 'fail')]
    expect(about(receiver.deliveries)).toEqual([paid, paid])
  })
})

describe('counting faults on webhooks', () => {
  const arrivals = async (fault: Fault, events: number) => {
    const { account, receiver } = await listening({ type: 'drop', ...fault })
    const ids: string[] = []
    for (let made = 0; made < events; made += 1) ids.push(await end(account))
    const seen = about(receiver.deliveries)
    return ids.map(id => seen.includes(id))
  }

  test('nth affects only that event', async () => {
    expect(await arrivals({ nth: 2 }, 3)).toEqual([true, false, true])
  })

  test('times affects that many events', async () => {
    expect(await arrivals({ times: 2 }, 3)).toEqual([false, false, true])
  })

  test('nth counts the events of its type only', async () => {
    const { account, receiver } = await listening({ type: 'drop', nth: 2, match: { type: 'payment.failed' } })
    const ids = [
      await end(account, 'fail'),
      await end(account),
      await end(account),
      await end(account, 'fail'),
      await end(account, 'fail'),
    ]
    expect(about(receiver.deliveries)).toEqual(ids.toSpliced(3, 1))
  })

  test('probability 0 affects no event, 1 every event', async () => {
    expect(await arrivals({ probability: 0 }, 2)).toEqual([true, true])
    expect(await arrivals({ probability: 1 }, 2)).toEqual([false, false])
  })
})

test('a fault on * affects calls but no webhook', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  const { id } = await createPayment(account)
  await putFaults(account, { on: '*', type: 'reset' })
  await succeeded(account.trigger(id, 'succeed'))
  await settle(account)
  expect(about(receiver.deliveries)).toEqual([id])
})

test('after the faults are cleared, webhooks arrive normally, and held-back ones still arrive', async () => {
  const { account, receiver } = await listening({ type: 'delay', delay: '1h', times: 1 }, { type: 'drop' })
  const held = await end(account)
  await end(account)
  await clearFaults(account)
  const next = await end(account)
  expect(about(receiver.deliveries)).toEqual([next])
  await account.advance('30d')
  expect(about(receiver.deliveries)).toEqual([next, held])
})
