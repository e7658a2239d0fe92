import { describe, expect, test } from 'vitest'
import {
  type Account,
  type Json,
  openAccount,
  openMerchant,
  rows,
  succeeded,
} from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalidState } from '../../support/http/refusals.ts'
import { createPayment, createTransfer, uploadReceipt } from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, movePayout, readPayout } from '../../support/payments/payouts.ts'
import { RFC_3339_UTC_MS } from '../../support/time/instants.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

interface Ending {
  event: string
  status: string
  /** Takes a record to its end and returns its id. */
  drive: (account: Account) => Promise<string>
  read: (account: Account, id: string) => Promise<Json>
}

const payment = async (account: Account, ...triggers: string[]) => {
  const { id } = await createPayment(account)
  for (const name of triggers) await succeeded(account.trigger(id, name))
  return id
}

const payout = async (account: Account, ...moves: string[]) => {
  const { id } = await addPayout(account)
  for (const move of moves) await succeeded(movePayout(account, id, move))
  return id
}

const cancelledAfter = async (account: Account, settleIt: (id: string) => Promise<unknown>) => {
  const id = await payment(account)
  await succeeded(account.cancel(id))
  await settleIt(id)
  return id
}

const paymentEndings: [string, Ending][] = (
  [
    ['succeeds', 'payment.succeeded', 'succeeded', account => payment(account, 'succeed')],
    ['fails', 'payment.failed', 'failed', account => payment(account, 'fail')],
    ['is expired by hand', 'payment.expired', 'expired', account => payment(account, 'expire')],
    [
      'succeeds without its action',
      'payment.succeeded',
      'succeeded',
      account => payment(account, 'withdraw-action', 'succeed'),
    ],
    [
      'expires with time',
      'payment.expired',
      'expired',
      async account => {
        const id = await payment(account)
        await account.advance('72h')
        return id
      },
    ],
    [
      'is cancelled by the provider after 5 s',
      'payment.cancelled',
      'failed',
      account => cancelledAfter(account, () => account.advance('5s')),
    ],
    [
      'is cancelled, confirmed by hand',
      'payment.cancelled',
      'failed',
      account => cancelledAfter(account, id => succeeded(account.trigger(id, 'confirm-cancel'))),
    ],
    [
      'succeeds although a cancellation was asked for',
      'payment.succeeded',
      'succeeded',
      account => cancelledAfter(account, id => succeeded(account.trigger(id, 'succeed'))),
    ],
    [
      'succeeds after its receipt',
      'payment.succeeded',
      'succeeded',
      async account => {
        const { id } = await createTransfer(account)
        await succeeded(uploadReceipt(account, id, 'key'))
        await account.advance('5s')
        await succeeded(account.trigger(id, 'succeed'))
        return id
      },
    ],
  ] satisfies [string, string, string, Ending['drive']][]
).map(([name, event, status, drive]) => [
  name,
  { event, status, drive, read: (account, id) => account.read(id) },
])

const payoutEndings: [string, Ending][] = (
  [
    ['succeeds', 'payout.succeeded', 'succeeded', account => payout(account, 'approve', 'succeed')],
    ['fails', 'payout.failed', 'failed', account => payout(account, 'approve', 'fail')],
    [
      'is cancelled',
      'payout.cancelled',
      'cancelled',
      async account => {
        const id = await payout(account)
        await succeeded(cancelPayout(account, id))
        return id
      },
    ],
  ] satisfies [string, string, string, Ending['drive']][]
).map(([name, event, status, drive]) => [name, { event, status, drive, read: readPayout }])

async function driveToEnd({ drive, read }: Ending) {
  const account = await openAccount(server())
  const receiver = await listen(account)
  const id = await drive(account)
  const { now } = await settle(account)
  return { account, receiver, now, record: await read(account, id) }
}

describe.each([
  ['payment', paymentEndings],
  ['payout', payoutEndings],
] as const)('a %s', (kind, endings) => {
  test.each(endings)('that %s sends its event, with the record as a read returns it', async (_, ending) => {
    const { receiver, now, record } = await driveToEnd(ending)
    expect(record.status).toBe(ending.status)
    expect(receiver.deliveries.map(({ event }) => event)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9A-Za-z]{24}$/),
        type: ending.event,
        timestamp: expect.stringMatching(RFC_3339_UTC_MS),
        environment: 'test',
        data: record,
      },
    ])
    expect(receiver.deliveries[0]?.event.timestamp).toBe(record.updated_at)
    expect(Date.parse(record.updated_at)).toBeLessThanOrEqual(Date.parse(now))
  })

  test.each(endings)('that %s sends no second terminal event, whatever comes later', async (_, ending) => {
    const { account, receiver, record } = await driveToEnd(ending)
    const later =
      kind === 'payment'
        ? ['succeed', 'fail', 'expire', 'confirm-cancel'].map(name => account.trigger(record.id, name))
        : ['approve', 'succeed', 'fail'].map(move => movePayout(account, record.id, move))
    for (const answer of await Promise.all(later)) expectRefusal(answer, invalidState)
    await account.advance('100h')
    expect(receiver.deliveries).toHaveLength(1)
    const events = await rows(account.control('GET', '/events'))
    expect(events.filter(event => event.type === ending.event)).toHaveLength(1)
  })
})

test('a cancelled payout’s event adds the reason, and nothing else, to the payout', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  const id = await payout(account)
  await succeeded(cancelPayout(account, id, { reason: 'Duplicate of 17' }))
  await settle(account)
  expect(receiver.deliveries.map(({ event }) => event.data)).toEqual([
    { ...(await readPayout(account, id)), cancel_reason: 'Duplicate of 17' },
  ])
})

test('events of a live account have environment live', async () => {
  const { live } = await openMerchant(server())
  const receiver = await listen(live)
  await payment(live, 'succeed')
  await settle(live)
  expect(receiver.deliveries.map(({ event }) => event.environment)).toEqual(['live'])
})

test('an event is sent without the clock moving', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  const id = await payment(account, 'succeed')
  const [delivery] = await receiver.arrived(1)
  expect(delivery?.event.data.id).toBe(id)
})

test('the event list contains every outcome as it was sent', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  await payment(account, 'succeed')
  await payment(account, 'fail')
  await payout(account, 'approve', 'succeed')
  await settle(account)
  const listed = await rows(account.control('GET', '/events'))
  for (const { event } of receiver.deliveries) {
    expect(listed.find(each => each.id === event.id)).toMatchObject({ type: event.type, data: event.data })
  }
  expect(receiver.deliveries).toHaveLength(3)
})

test('an event contains the record as it was at that time, even if delivered later', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account, ['payout.updated', 'payout.succeeded'])
  receiver.reply(nth => ({ status: nth === 1 ? 500 : 204 }))
  const id = await payout(account, 'approve')
  await settle(account)
  await succeeded(movePayout(account, id, 'succeed'))
  await account.advance('5s')
  const approved = receiver.deliveries.filter(({ event }) => event.data.status === 'processing')
  expect(approved).toHaveLength(2)
  expect(approved[1]?.text).toBe(approved[0]?.text)
})
