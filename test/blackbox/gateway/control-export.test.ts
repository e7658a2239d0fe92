import { describe, expect, test } from 'vitest'
import { archiveOf } from '../../support/gateway/archive.ts'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid, notFound } from '../../support/http/refusals.ts'
import { createPayment, createTransfer, uploadReceipt } from '../../support/payments/payments.ts'
import { addPayout, addPayouts, cancelPayout, listPayouts } from '../../support/payments/payouts.ts'
import { listen, openReceiver, subscribe } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const exported = (account: Account) => succeeded(account.control('GET', '/export'))
const importInto = (account: Account, body: unknown) => account.control('PUT', '/import', { body })
const reset = (account: Account) => succeeded(account.control('POST', '/reset'))

/** An account with something of everything in it, and timers running. */
async function busyAccount(on = server()) {
  const account = await openAccount(on)
  const cancelling = await createPayment(account)
  const transfer = await createTransfer(account)
  await succeeded(uploadReceipt(account, transfer.id, 'key'))
  await succeeded(account.cancel(cancelling.id))
  const payout = await addPayout(account)
  await succeeded(cancelPayout(account, payout.id, { reason: 'Duplicate' }))
  await addPayouts(account, 4)
  return { account, cancelling, transfer }
}

/** All that the merchant can read. */
async function merchantView(account: Account, paymentIds: string[]) {
  const payments = await Promise.all(paymentIds.map(id => account.read(id)))
  return { payments, payouts: (await succeeded(listPayouts(account))).data }
}

describe('reset', () => {
  test('empties the account and keeps its keys', async () => {
    const { account, transfer } = await busyAccount()
    await reset(account)
    expectRefusal(await account.call('GET', `/payment_intents/${transfer.id}`), notFound)
    expect((await succeeded(listPayouts(account))).data).toEqual([])
    expect(await rows(account.control('GET', '/payments'))).toEqual([])
    expect(await rows(account.control('GET', '/events'))).toEqual([])
    expect(await rows(account.control('GET', '/provider-calls'))).toEqual([])
    expect(await succeeded(account.control('GET', '/clock'))).toMatchObject({ pending_timers: 0 })
    await createPayment(account)
  })

  test('forgets idempotency keys', async () => {
    const account = await openAccount(server())
    const create = () =>
      account.call('POST', '/payment_intents', {
        body: {
          amount: '25000',
          currency: 'THB',
          country: 'TH',
          merchant_reference: 'once',
          customer: {},
        },
        headers: { 'idempotency-key': 'once' },
      })
    const before = await succeeded(create())
    await reset(account)
    expect((await succeeded(create())).id).not.toBe(before.id)
  })

  test('affects this account only', async () => {
    const [one, other] = [await openAccount(server()), await openAccount(server())]
    const { id } = await createPayment(other)
    await reset(one)
    expect((await other.read(id)).id).toBe(id)
  })
})

describe('export and import', () => {
  test('restore everything after a reset, including timers', async () => {
    const { account, cancelling, transfer } = await busyAccount()
    const ids = [cancelling.id, transfer.id]
    const before = await merchantView(account, ids)
    const saved = await exported(account)
    await reset(account)
    await succeeded(importInto(account, saved))
    expect(await merchantView(account, ids)).toEqual(before)
    await account.advance('5s')
    expect(await account.read(cancelling.id)).toMatchObject({ failure_code: 'payment_cancelled' })
    expect((await account.read(transfer.id)).receipt.status).toBe('submitted')
  })

  test('copy an account into another, whose images get new addresses', async () => {
    const { account, cancelling, transfer } = await busyAccount()
    const copy = await openAccount(server())
    await succeeded(importInto(copy, await exported(account)))
    const ids = [cancelling.id, transfer.id]
    const [original, carried] = [await merchantView(account, ids), await merchantView(copy, ids)]
    const address = carried.payments[0].next_action.qr_image_url
    original.payments[0].next_action.qr_image_url = address
    expect(carried).toEqual(original)
    expect((await fetch(address)).headers.get('content-type')).toBe('image/png')
  })

  test('undo what happened in between', async () => {
    const { account, transfer } = await busyAccount()
    const saved = await exported(account)
    const before = await merchantView(account, [transfer.id])
    const later = await createPayment(account)
    await account.advance('80h')
    await succeeded(importInto(account, saved))
    expectRefusal(await account.call('GET', `/payment_intents/${later.id}`), notFound)
    expect(await merchantView(account, [transfer.id])).toEqual(before)
  })

  test('keep webhook endpoints and their secrets working', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const saved = await exported(account)
    await reset(account)
    await succeeded(importInto(account, saved))
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id))
    await account.advance('0s')
    expect(receiver.deliveries.map(({ event }) => event.type)).toEqual(['payout.cancelled'])
  })

  test.each<[string, (saved: Record<string, unknown>) => unknown]>([
    ['nothing', () => ({})],
    ['a list', () => []],
    ['an export cut in half', saved => Object.fromEntries(Object.entries(saved).slice(0, 1))],
    ['words for numbers', saved => Object.fromEntries(Object.keys(saved).map(key => [key, 'nonsense']))],
  ])('an import of %s is refused and changes nothing', async (_, spoil) => {
    const { account, cancelling, transfer } = await busyAccount()
    const ids = [cancelling.id, transfer.id]
    const before = await merchantView(account, ids)
    expectRefusal(await importInto(account, spoil(await exported(account))), invalid())
    expect(await merchantView(account, ids)).toEqual(before)
  })
})

test('an endpoint of a reset account gets no earlier events', async () => {
  const account = await openAccount(server())
  const receiver = await openReceiver()
  receiver.reply(() => ({ status: 500 }))
  await subscribe(account, receiver.url)
  const { id } = await addPayout(account)
  await succeeded(cancelPayout(account, id))
  await account.advance('0s')
  const before = receiver.deliveries.length
  await reset(account)
  await succeeded(account.control('POST', '/clock/advance', { body: { until: 'idle', max: '100d' } }))
  expect(before).toBe(1)
  expect(receiver.deliveries).toHaveLength(before)
})

describe('an inconsistent import', () => {
  const image = Buffer.from('not what it is called')
  const harms: [string, (saved: Json) => void, RegExp][] = [
    ['an image called as a path', saved => Object.assign(saved.images, { '../../../x': 'AAAA' }), /images/],
    [
      'an image that is not what it is called',
      saved => Object.assign(saved.images, { ['0'.repeat(64)]: image.toString('base64') }),
      /SHA-256/,
    ],
    [
      'a digest that leads elsewhere',
      saved => {
        const events = saved.entries.flatMap((entry: Json) => entry.events)
        const submitted = events.find((event: Json) => event.type === 'ReceiptSubmitted')
        submitted.digest = '../../../merchants.jsonl'
      },
      /SHA-256/,
    ],
    [
      'an event of another program',
      saved => saved.entries.at(-1).events.push({ type: 'FileWritten', path: '/etc/passwd' }),
      /entries\.\d+\.events\.\d+\.type must be one of/,
    ],
    [
      'an event with a member of another one',
      saved => Object.assign(saved.entries.at(-1).events.at(-1), { path: '/etc/passwd' }),
      /path is not a known key/,
    ],
    [
      'a timer that wants what no timer may',
      saved => {
        const command = { type: 'ReplaceFaults', faults: [] }
        saved.entries.at(-1).events.push({ type: 'TimerSet', timer: 'x', dueAt: 0, command })
      },
      /command/,
    ],
    [
      'a clock beyond all time',
      saved => {
        const clock = { mode: 'virtual', rate: 1, accountAt: 1e300, wallAt: 0 }
        saved.entries.at(-1).events.push({ type: 'ClockSet', clock })
      },
      /clock\.accountAt/,
    ],
    [
      'rules that cannot be meant',
      saved => {
        const rules = [{ match: { kind: 'payout' }, receipt: 'manual' }]
        saved.entries.at(-1).events.push({ type: 'RulesReplaced', rules })
      },
      /is only for payments/,
    ],
    [
      'time that goes back',
      saved => Object.assign(saved.entries.at(-1), { at: saved.entries[0].at - 1 }),
      /must not be earlier/,
    ],
    ['an entry left out', saved => saved.entries.splice(1, 1), /must be 2/],
    [
      'an event that refers to nothing',
      saved => {
        const events = [{ type: 'PaymentSucceeded', payment: 'pi_none' }]
        saved.entries.push({ ...saved.entries.at(-1), seq: saved.entries.length + 1, events })
      },
      /names pi_none, which no entry has made/,
    ],
    ...[
      { type: 'DeliveryQueued', delivery: 'whd_1', event: 'evt_none', endpoint: 'we_none', dueAt: null },
      { type: 'EventEmitted', event: 'evt_1', name: 'payment.succeeded', subject: { payment: 'pi_none' } },
      { type: 'TimerSet', timer: 't', dueAt: 0, command: { type: 'AttemptDelivery', delivery: 'whd_none' } },
      { type: 'AnswerKept', scope: 's', fingerprint: 'f', answer: { payout: 'po_none' } },
      { type: 'EndpointRemoved', endpoint: 'we_none' },
    ].map((event): (typeof harms)[number] => [
      `${event.type} of what does not exist`,
      saved =>
        saved.entries.push({ ...saved.entries.at(-1), seq: saved.entries.length + 1, events: [event] }),
      /names \w+_none, which no entry has made/,
    ]),
  ]

  test.each(harms)('is refused and changes nothing: %s', async (_, harm, why) => {
    const { account, cancelling, transfer } = await busyAccount()
    const ids = [cancelling.id, transfer.id]
    const [before, saved] = [await merchantView(account, ids), await exported(account)]
    const harmed = structuredClone(saved)
    harm(harmed)
    const answer = await importInto(account, harmed)
    expectRefusal(answer, invalid())
    expect(answer.text).toMatch(why)
    expect(await merchantView(account, ids)).toEqual(before)
    expect(await exported(account)).toEqual(saved)
  })
})

test('concurrent exports, resets and imports succeed, and no export mixes two states', async () => {
  const { account } = await busyAccount()
  const saved = await exported(account)
  const answers = await Promise.all(
    Array.from({ length: 18 }, (_, nth) =>
      nth % 3 === 0
        ? account.control('GET', '/export')
        : nth % 3 === 1
          ? account.control('POST', '/reset')
          : importInto(account, saved),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const lengths = answers.filter((_, nth) => nth % 3 === 0).map(({ body }) => body.entries.length)
  for (const length of lengths) expect([saved.entries.length, 2]).toContain(length)
})

test.each([
  ['a reset', (account: Account) => account.control('POST', '/reset')],
  ['an import', (account: Account, other: Json) => importInto(account, other)],
])('%s with concurrent exports: each export is the complete account before or after', async (_, change) => {
  // In memory a change is quickest, and most likely to come while an export is made.
  const { account } = await busyAccount(await ownServer({ args: ['--ephemeral'] }))
  const other = await exported(account)
  // So large that an export goes on while others are served; its last part are the images.
  const last = other.entries.at(-1)
  const payouts = archiveOf(2000).entries.map((entry: Json) => ({
    ...entry,
    seq: last.seq + entry.seq,
    at: last.at,
  }))
  await succeeded(importInto(account, { ...other, entries: [...other.entries, ...payouts] }))
  const before = await exported(account)
  const exports = (count: number) => Array.from({ length: count }, () => account.control('GET', '/export'))
  const [earlier, changing, later] = [exports(4), change(account, other), exports(3)]
  await succeeded(changing)
  const after = await exported(account)
  expect(after).not.toEqual(before)
  for (const { status, body } of await Promise.all([...earlier, ...later])) {
    expect(status).toBe(200)
    expect([before, after]).toContainEqual(body)
  }
})
