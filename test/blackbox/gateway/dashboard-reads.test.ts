import { describe, expect, test } from 'vitest'
import { openStream } from '../../support/gateway/event-stream.ts'
import { type Account, accountOf, type Json, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, recovered, sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid, notFound } from '../../support/http/refusals.ts'
import { createPayment, createTransfer, uploadReceipt } from '../../support/payments/payments.ts'
import { addPayout } from '../../support/payments/payouts.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const read = (account: Account, path: string): Promise<Json> => succeeded(account.control('GET', path))
const references = ({ data }: Json) => data.map((row: Json) => row.merchant_reference)

/** Five payments an hour apart, `order-0` to `order-4`. */
async function fivePayments(): Promise<Account> {
  const account = await openAccount(server(), {
    clock: { mode: 'virtual', now: '2027-01-01T00:00:00Z' },
    rules: [
      {
        name: 'even',
        match: { merchant_reference: ['order-0', 'order-2', 'order-4'] },
        outcome: { after: '0s', status: 'succeeded' },
      },
    ],
  })
  for (let nth = 0; nth < 5; nth++) {
    await createPayment(account, { merchant_reference: `order-${nth}`, customer: { name: `Name ${nth}` } })
    await account.advance('1h')
  }
  return account
}

describe('a browsable list', () => {
  test('is newest first and paged, and new records do not shift its pages', async () => {
    const account = await fivePayments()
    const first = await read(account, '/browse/payments?limit=2')
    expect(first).toMatchObject({ total: 5, exact: true, newer: 0 })
    expect(references(first)).toEqual(['order-4', 'order-3'])
    await createPayment(account, { merchant_reference: 'order-5' })
    const later = await read(account, `/browse/payments?limit=2&offset=2&anchor=${first.anchor}`)
    expect(references(later)).toEqual(['order-2', 'order-1'])
    expect(later).toMatchObject({ total: 5, newer: 1, anchor: first.anchor })
    expect(references(await read(account, '/browse/payments?offset=5'))).toEqual(['order-0'])
    expect(references(await read(account, '/browse/payments?offset=6'))).toEqual([])
  })

  const filters: [query: string, expected: number[]][] = [
    ['status=succeeded', [4, 2, 0]],
    ['status=succeeded,pending', [4, 3, 2, 1, 0]],
    ['status=failed', []],
    ['method=th_promptpay&currency=THB&checkout_mode=merchant', [4, 3, 2, 1, 0]],
    ['method=th_bank_transfer', []],
    ['q=ORDER-3', [3]],
    ['q=name+1', [1]],
    ['rule=even&q=order-2', [2]],
    ['route=siam-transfer', []],
    ['failure_code=account_closed', []],
    ['created_after=2027-01-01T02:00:00Z', [4, 3, 2]],
    ['created_before=2027-01-01T02:00:00Z', [1, 0]],
    ['created_after=2027-01-01T01:00:00Z&created_before=2027-01-01T03:00:00Z&status=pending', [1]],
  ]
  test('can be filtered and searched', async () => {
    const account = await fivePayments()
    for (const [query, expected] of filters) {
      const page = await read(account, `/browse/payments?${query}`)
      expect([query, ...references(page)]).toEqual([query, ...expected.map(nth => `order-${nth}`)])
      expect([query, page.total]).toEqual([query, expected.length])
      const inner = await read(account, `/browse/payments?${query}&offset=1&limit=1`)
      expect([query, ...references(inner)]).toEqual([
        query,
        ...expected.slice(1, 2).map(nth => `order-${nth}`),
      ])
    }
    const [{ route }] = (await read(account, '/payments?limit=1')).data
    const byRoute = await read(account, `/browse/payments?rule=even&route=${route.id}`)
    expect(references(byRoute)).toEqual(['order-4', 'order-2', 'order-0'])
    const declined = (await createPayment(account, { merchant_reference: 'order-5' })).id
    await account.trigger(declined, 'fail', { failure_code: 'insufficient_funds' })
    const byCode = await read(account, '/browse/payments?failure_code=insufficient_funds&status=failed')
    expect(references(byCode)).toEqual(['order-5'])
  })

  test.each([
    ['offset', 'offset=-1'],
    ['limit', 'limit=201'],
    ['anchor', 'anchor=newest'],
    ['created_after', 'created_after=yesterday'],
  ])('refuses a bad %s', async (field, query) => {
    const account = await openAccount(server())
    for (const list of ['payouts', 'webhook-deliveries'])
      expectRefusal(await account.control('GET', `/browse/${list}?${query}`), invalid(field))
  })

  test('searches payouts by recipient and deliveries by record', async () => {
    const account = await openAccount(server())
    const { id } = await addPayout(account)
    const [row] = (await read(account, '/browse/payouts?status=requires_approval&country=TH')).data
    expect(row).toMatchObject({ id, status: 'requires_approval' })
    expect((await read(account, `/browse/payouts?q=${row.holder_name.slice(1, 5)}`)).total).toBe(1)

    const receiver = await listen(account, ['payment.succeeded'])
    const payment = await createPayment(account)
    await account.trigger(payment.id, 'succeed')
    await settle(account)
    expect(receiver.deliveries).toHaveLength(1)
    const [delivery] = (await read(account, `/browse/webhook-deliveries?status=delivered&q=${payment.id}`))
      .data
    expect(delivery).toMatchObject({ record: payment.id, event_type: 'payment.succeeded', attempts: 1 })
    expect(await read(account, `/webhook-deliveries/${delivery.id}`)).toMatchObject({
      id: delivery.id,
      record: payment.id,
      fault: null,
    })
    expectRefusal(await account.control('GET', '/webhook-deliveries/none'), notFound)
  })

  test('of deliveries follows their changes, also those that no event names', async () => {
    const account = await openAccount(server(), { clock: { mode: 'virtual' } })
    const receiver = await listen(account, ['payment.succeeded'])
    receiver.reply(() => ({ status: 500 }))
    const { id } = await createPayment(account)
    const found = async () => {
      const windows = ['pending', 'failing', 'delivered', 'failed'].map(each =>
        read(account, `/browse/webhook-deliveries?status=${each}&q=${id}`),
      )
      return (await Promise.all(windows)).map(({ total }) => total)
    }
    expect(await found()).toEqual([0, 0, 0, 0])
    await account.trigger(id, 'succeed')
    await settle(account)
    expect(await found()).toEqual([0, 1, 0, 0])
    await account.control('DELETE', `/webhook-endpoints/${receiver.endpoint.id}`)
    expect(await found()).toEqual([0, 0, 0, 1])
  })

  test('of deliveries without a filter is the same in parts as with one that all fit', async () => {
    const account = await openAccount(server())
    await listen(account, ['payment.succeeded'])
    for (let nth = 0; nth < 4; nth++) await account.trigger((await createPayment(account)).id, 'succeed')
    await settle(account)
    const window = (query: string) => read(account, `/browse/webhook-deliveries?${query}`)
    const fitting = await window('event_type=payment.succeeded')
    expect(fitting.total).toBe(4)
    for (const [offset, limit] of [
      [0, 50],
      [1, 2],
      [3, 2],
      [4, 1],
      [9, 9],
      [0, 0],
    ] as const)
      expect(await window(`offset=${offset}&limit=${limit}`)).toEqual({
        ...fitting,
        data: fitting.data.slice(offset, offset + limit),
      })
  })
})

describe('the moves of a record', () => {
  const triggersOf = async (account: Account, path: string) =>
    (await read(account, path)).moves.map((move: Json) => move.trigger)

  test('are the calls accepted now, and confirm-cancel has the announced effect', async () => {
    const account = await openAccount(server(), { rules: [{ receipt: 'manual', cancel: 'manual' }] })
    const { id } = await createTransfer(account)
    const path = `/payments/${id}`
    expect(await triggersOf(account, path)).toEqual(['withdraw-action', 'succeed', 'fail', 'expire'])
    await uploadReceipt(account, id, 'receipt')
    await account.cancel(id)
    // The action has to stay while either is in flight.
    expect(await triggersOf(account, path)).toEqual([
      'succeed',
      'fail',
      'expire',
      'accept-receipt',
      'reject-receipt',
      'confirm-cancel',
    ])
    const { moves } = await read(account, path)
    const { to } = moves.find((move: Json) => move.trigger === 'confirm-cancel')
    expect((await succeeded(account.trigger(id, 'confirm-cancel'))).status).toBe(to)
    // What the provider says of the receipt is still to come.
    expect(await triggersOf(account, path)).toEqual(['accept-receipt', 'reject-receipt'])
    await succeeded(account.trigger(id, 'accept-receipt'))
    expect(await triggersOf(account, path)).toEqual([])
  })

  test('include approve and cancel for a payout, and cancel accepts a reason', async () => {
    const account = await openAccount(server())
    const { id } = await addPayout(account)
    expect(await triggersOf(account, `/payouts/${id}`)).toEqual(['approve', 'cancel'])
    const body = { reason: 'Sent twice' }
    const cancelled = await succeeded(account.control('POST', `/payouts/${id}/cancel`, { body }))
    expect(cancelled).toMatchObject({ status: 'cancelled', cancel_reason: 'Sent twice', moves: [] })
    const other = await addPayout(account)
    const long = { body: { reason: 'x'.repeat(513) } }
    expectRefusal(await account.control('POST', `/payouts/${other.id}/cancel`, long), invalid('reason'))
  })
})

test('a timeline shows account and wall time of each change, and what is planned', async () => {
  const account = await openAccount(server(), {
    clock: { mode: 'virtual', now: '2030-01-01T00:00:00Z' },
    rules: [{ outcome: { after: '1h', status: 'failed', code: 'late', message: 'Too late' } }],
  })
  const began = Date.now()
  const { id } = await createPayment(account)
  await account.read(id)
  const before = await read(account, `/timeline/${id}`)
  expect(before.changes[0]).toMatchObject({
    at: '2030-01-01T00:00:00.000Z',
    by: 'merchant',
    event: 'PaymentCreated',
  })
  const wall = Date.parse(before.changes[0].wall_at)
  expect(wall).toBeGreaterThanOrEqual(began)
  expect(wall).toBeLessThanOrEqual(Date.now())
  expect(before.provider_calls).toEqual([{ at: '2030-01-01T00:00:00.000Z', call: 'start' }])
  expect(before.requests).toMatchObject([
    { method: 'POST', path: '/payment_intents', status: 201 },
    { method: 'GET', path: `/payment_intents/${id}`, status: 200 },
  ])
  expect(before.timers[0]).toMatchObject({ due_at: '2030-01-01T01:00:00.000Z', command: { trigger: 'fail' } })

  await account.advance('1h')
  const after = await read(account, `/timeline/${id}`)
  expect(after.changes.at(-1)).toMatchObject({
    at: '2030-01-01T01:00:00.000Z',
    by: 'timer',
    event: 'PaymentFailed',
    status: 'failed',
    detail: 'late: Too late',
  })
  expect(after.timers).toEqual([])
  expectRefusal(await account.control('GET', '/timeline/pi_nothing'), notFound)
})

test('a timeline puts causes before effects, and shows the rule and its planned outcome', async () => {
  const rule = { name: 'late', match: { kind: 'payment' }, outcome: { after: '1h', status: 'succeeded' } }
  const account = await openAccount(server(), { clock: { mode: 'virtual' }, rules: [rule] })
  const { id } = await createPayment(account)
  await account.control('PUT', '/rules', { body: { rules: [] } })
  const receiver = await listen(account, ['payment.succeeded'])
  await account.cancel(id)
  const { to_come, ...open } = await read(account, `/timeline/${id}`)
  expect(open.rule).toEqual(rule)
  expect(to_come.find((coming: Json) => coming.kind === 'outcome')).toMatchObject({
    trigger: 'succeed',
    due_at: open.timers.find((timer: Json) => timer.id.endsWith(':outcome')).due_at,
  })
  await account.trigger(id, 'succeed')
  await settle(account)
  expect(receiver.deliveries).toHaveLength(1)
  const { order, ...lists } = await read(account, `/timeline/${id}`)
  const told = order.map(({ list, nth }: Json) => {
    const { event, call, method, number } = lists[list][nth]
    return event ?? call ?? method ?? `attempt ${number}`
  })
  expect(told).toEqual([
    ...['POST', 'PaymentCreated', 'RouteFrozen', 'start', 'ActionPresented'],
    ...['POST', 'CancelRequested', 'cancel', 'PaymentSucceeded', 'attempt 1'],
  ])
  expect(order.every((happened: Json) => happened.wall_at !== null)).toBe(true)
})

test('a logged request shows what was sent and answered, without secrets', async () => {
  const account = await openAccount(server())
  const answer = await account.call('POST', '/payment_intents', {
    headers: { 'idempotency-key': 'key-1' },
    body: {
      amount: '25000',
      currency: 'THB',
      country: 'TH',
      checkout_mode: 'merchant',
      merchant_reference: 'order-1',
      payment_method: 'th_promptpay',
      payment_method_options: { account_number: '1234567890' },
      customer: {},
      extra: 'x'.repeat(20_000),
    },
  })
  const id = answer.headers.get('request-id')
  const found = await account.control('GET', `/requests/${id}`)
  expect(found.text).not.toContain('1234567890')
  expect(found.text).not.toContain(account.keys.secret_key)
  const { request, response } = found.body
  expect(request).toMatchObject({
    headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1' },
    truncated: true,
  })
  expect(request.size).toBeGreaterThan(20_000)
  expect(request.body.length).toBeLessThanOrEqual(16 * 1024)
  const body = answer.text.replace(/signature=[\w-]+/g, 'signature=…')
  expect(response).toMatchObject({ whole: true, truncated: false, body })
  expectRefusal(await account.control('GET', '/requests/req_nothing'), notFound)
})

test('the overview counts payments, payouts and requests correctly', async () => {
  const account = await fivePayments()
  await addPayout(account)
  const { payments, payouts, requests, webhooks, clock } = await read(account, '/overview')
  expect(payments).toMatchObject({ total: 5, by_status: { succeeded: 3, pending: 2, failed: 0 } })
  const counted = Object.values<number[]>(payments.over_time.series).flat()
  expect(counted.reduce((sum, count) => sum + count)).toBe(5)
  expect(payouts).toMatchObject({ total: 1, by_status: { requires_approval: 1 } })
  expect(requests.logged).toBe(5)
  expect(requests.p95_ms).toBeGreaterThanOrEqual(requests.p50_ms)
  expect(webhooks).toMatchObject({ endpoints: 0, over_time: null })
  expect(clock.mode).toBe('virtual')
})

test('a bar of the overview counts the webhooks that their list shows for its time and status', async () => {
  const hour = (nth: number) => `2027-01-01T0${nth}:00:20Z`
  const account = await openAccount(server(), { clock: { mode: 'virtual', now: hour(0) } })
  const faults = [
    { on: 'webhook', from: hour(1), until: hour(2), type: 'drop' },
    { on: 'webhook', from: hour(2), until: hour(3), type: 'delay', delay: '10d' },
  ]
  await succeeded(account.control('PUT', '/faults', { body: { faults } }))
  const receiver = await listen(account, ['payment.succeeded'])
  receiver.reply((_, { event }) => ({ status: event.data.merchant_reference.endsWith('0') ? 500 : 200 }))
  const pay = async (nth: number) => {
    const { id } = await createPayment(account, { merchant_reference: `order-${nth}` })
    await account.trigger(id, 'succeed')
  }
  for (let nth = 1; nth <= 13; nth++) {
    await pay(nth)
    await account.advance('17m')
  }
  const gone = await listen(account, ['payment.succeeded'])
  gone.reply(() => ({ status: 500 }))
  await Promise.all([pay(20), pay(30)])
  await settle(account)
  await account.control('DELETE', `/webhook-endpoints/${gone.endpoint.id}`)

  const { by_status, over_time } = (await read(account, '/overview')).webhooks
  expect(by_status).toEqual({ pending: 3, attempting: 0, delivered: 6, failed: 2, dropped: 4, failing: 2 })
  const at = (nth: number) => new Date(Date.parse(over_time.from) + nth * over_time.width_ms).toISOString()
  const bars = Object.values<number[]>(over_time.series)[0]?.length ?? 0
  const span = (nth: number) => `created_after=${at(nth)}&created_before=${at(nth + 1)}`
  const listed = async (query: string) => (await read(account, `/browse/webhook-deliveries?${query}`)).data
  for (let nth = 0; nth < bars; nth++) {
    const bar = Object.keys(by_status).flatMap(status => Array(over_time.series[status][nth]).fill(status))
    const rows = await listed(span(nth))
    expect(rows.map((row: Json) => row.status).sort()).toEqual(bar.sort())
    expect(rows.every(({ created_at }: Json) => created_at >= at(nth) && created_at < at(nth + 1))).toBe(true)
    const whole = (await read(account, `/webhook-deliveries?${span(nth)}`)).data
    expect(whole.map((row: Json) => row.id)).toEqual(rows.map((row: Json) => row.id).reverse())
    for (const status of new Set(bar)) {
      const ofStatus = rows.filter((row: Json) => row.status === status)
      expect(await listed(`${span(nth)}&status=${status}`)).toEqual(ofStatus)
      // With a filter that only the index for searches knows.
      expect(await listed(`${span(nth)}&status=${status}&event_type=payment.succeeded`)).toEqual(ofStatus)
    }
  }
  for (const [status, total] of Object.entries(by_status))
    expect([status, (await listed(`status=${status}`)).length]).toEqual([status, total])
})

test('the overview says what needs somebody, what happened last and what comes next', async () => {
  const account = await openAccount(server(), {
    clock: { mode: 'virtual', now: '2027-01-01T00:00:00Z' },
    rules: [
      {
        name: 'large',
        match: { amount: { gte: '1000000' } },
        outcome: { after: '0s', status: 'failed', code: 'insufficient_funds' },
      },
      {
        match: { kind: 'payment' },
        receipt: [{ after: '5s', verdict: 'reject', message: 'Not legible' }],
        cancel: 'manual',
      },
    ],
  })
  const quiet = await read(account, '/overview')
  expect(quiet.needs).toEqual({ failing: [], receipts_rejected: 0, cancelling: 0, due_in_an_hour: 0 })
  expect([quiet.feed, quiet.next]).toEqual([[], []])

  const receiver = await listen(account, ['payment.failed'])
  receiver.reply(() => ({ status: 500 }))
  const declined = await createPayment(account, { amount: '2000000', merchant_reference: 'order-large' })
  await settle(account)
  const { id } = await createTransfer(account, { merchant_reference: 'order-slip' })
  await uploadReceipt(account, id, 'slip')
  await account.advance('5s')
  await account.call('POST', `/payment_intents/${id}/cancel-pending`, { body: {} })

  const { needs, feed, next } = await read(account, '/overview')
  expect(needs.failing).toMatchObject([{ deliveries: 1, last_status: 500 }])
  expect(needs).toMatchObject({ receipts_rejected: 1, cancelling: 1, due_in_an_hour: 1 })
  const told = feed.map(({ name, kind, status, sentence }: Json) => [name, kind, status, sentence].join(' '))
  expect(told).toEqual([
    expect.stringMatching(/^order-slip payment pending The merchant asked to cancel it/),
    expect.stringMatching(/^order-large delivery failing Attempt 2 did not succeed \(answered 500\)/),
    expect.stringMatching(
      /^order-large payment failed It failed \(insufficient_funds.*the rule "large" says so/,
    ),
  ])
  expect(next[0]).toMatchObject({
    command: { type: 'AttemptDelivery' },
    record: { id: declined.id, name: 'order-large', amount: '2000000', currency: 'THB' },
  })
  for (const query of ['payments?receipt=rejected', 'payments?cancelling=true'])
    expect([query, ...references(await read(account, `/browse/${query}`))]).toEqual([query, 'order-slip'])
  const failing = await read(
    account,
    `/browse/webhook-deliveries?status=failing&endpoint=${needs.failing[0].endpoint}`,
  )
  expect(failing.data).toMatchObject([{ record: declined.id, reference: 'order-large', last_status: 500 }])
  const byReference = await read(account, '/browse/webhook-deliveries?q=der-LARGE')
  expect(byReference.data).toMatchObject([{ record: declined.id }])
  const timers = await read(account, '/timers?limit=200')
  expect(timers.data[0].record).toEqual(next[0].record)
  for (const query of ['', '?limit=201'])
    expect((await read(account, `/timers${query}`)).data[0].record).toBeUndefined()

  receiver.reply(() => ({ status: 200 }))
  await account.trigger(id, 'confirm-cancel')
  await account.advance('1h')
  expect((await read(account, '/overview')).needs).toMatchObject({ failing: [], cancelling: 0 })
  expect((await read(account, '/browse/webhook-deliveries?status=failing')).total).toBe(0)
})

test('what happened before a restart is told from the newest records, until they change again', async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  for (const nth of [1, 2, 3]) await createPayment(account, { merchant_reference: `order-${nth}` })
  const same = accountOf(await recovered(server), account.keys)
  const told = async () =>
    (await read(same, '/overview')).feed.map(({ name, status }: Json) => [name, status].join(' '))
  expect(await told()).toEqual(['order-3 pending', 'order-2 pending', 'order-1 pending'])
  const [first] = (await read(same, '/payments')).data.filter(
    ({ merchant_reference }: Json) => merchant_reference === 'order-1',
  )
  await same.trigger(first.id, 'fail')
  expect(await told()).toEqual(['order-1 failed', 'order-3 pending', 'order-2 pending'])
})

test('requests are found by what they say, and a timeline has the one that created its record and what a fault did', async () => {
  const account = await openAccount(server(), { clock: { mode: 'virtual' } })
  await listen(account, ['payment.succeeded'])
  await succeeded(
    account.control('PUT', '/faults', {
      body: {
        faults: [
          { name: 'broken', on: 'POST /payment_intents', nth: 2, type: 'status', status: 503 },
          { on: 'webhook', type: 'duplicate' },
        ],
      },
    }),
  )
  const { id } = await createPayment(account, { merchant_reference: 'order-Found' })
  const broken = await account.call('POST', '/payment_intents', {
    body: { merchant_reference: 'order-other' },
    headers: { 'idempotency-key': 'broken' },
  })
  expect(broken.status).toBe(503)
  const found = async (q: string) =>
    (await read(account, `/requests?q=${q}`)).data.map(({ status }: Json) => status)
  expect(await found('ORDER-found')).toEqual([201])
  expect(await found(id)).toEqual([201])
  expect(await found('order-nothing')).toEqual([])
  const [last] = (await read(account, '/requests')).data
  expect(last.fault).toEqual({ type: 'status', name: 'broken', carried_out: false })

  await account.trigger(id, 'succeed')
  await settle(account)
  const { requests, attempts } = await read(account, `/timeline/${id}`)
  expect(requests[0]).toMatchObject({ method: 'POST', path: '/payment_intents', status: 201, fault: null })
  expect(requests.filter(({ path }: Json) => path === '/payment_intents')).toHaveLength(1)
  expect(attempts.map(({ fault }: Json) => fault)).toEqual([null, 'duplicate'])
})

test('the stream can report that something changed without saying what', async () => {
  const account = await openAccount(server())
  const stream = await openStream(server(), account, '?as=changes')
  const { id } = await createPayment(account)
  await stream.until(message => JSON.stringify(message).includes(id))
  const told = JSON.stringify(stream.messages)
  expect(told).toContain('"payments"')
  expect(told).not.toContain('PaymentCreated')
})

describe('YAML for the editors of the dashboard', () => {
  const turn = (way: 'read' | 'write', body: Json) => server().control('POST', `/yaml/${way}`, { body })

  test('comes back as it was written, and is legible', async () => {
    const rules = [{ name: 'no', match: { amount: { gte: '1000' } }, receipt: [{ after: '5s' }] }]
    const { texts } = (await turn('write', { values: [rules, rules[0]] })).body
    expect(texts[0]).toContain('match: { amount: { gte: "1000" } }')
    for (const [text, value] of [
      [texts[0], rules],
      [texts[1], rules[0]],
    ])
      expect((await turn('read', { text })).body).toEqual({ value })
  })

  test.each([
    ['a key twice', 'a: 1\na: 2', /Map keys must be unique at line 2, column 1/],
    ['many levels', '['.repeat(100_000), /nested too deeply/],
    ['a list that does not end', '- [', /at line 1/],
    [
      'aliases that grow',
      `a: &a [${'x,'.repeat(50)}]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]`,
      /alias/i,
    ],
  ])('is refused with %s', async (_, text, message) => {
    const answer = await turn('read', { text })
    expectRefusal(answer, invalid('text'))
    expect(answer.text).toMatch(message)
  })
})
