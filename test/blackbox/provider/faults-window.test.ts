import { expect, test } from 'vitest'
import { type Account, accountOf, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, recovered, sharedServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { type Fault, faultsOf, putFaults, sendFaults } from '../../support/provider/faults.ts'
import { HOUR, shifted } from '../../support/time/instants.ts'
import { listen } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const LIST = 'GET /payout_intents'
const down = (window: Fault): Fault => ({ on: LIST, type: 'status', status: 503, ...window })
const status = async (account: Account) => (await server().as(account.keys)('GET', '/payout_intents')).status

/** What the calls are answered with, after each step of the account's time. */
async function answers(account: Account, ...steps: string[]): Promise<number[]> {
  const seen: number[] = []
  for (const step of steps) {
    await account.advance(step)
    seen.push(await status(account))
  }
  return seen
}

test('for counts from when the faults are set', async () => {
  const account = await openAccount(server())
  await account.advance('5h')
  await putFaults(account, down({ for: '1h' }))
  expect(await answers(account, '0s', '59m59s999ms', '1ms', '7d')).toEqual([503, 503, 200, 200])
})

test('for goes on if the fault is set again, and starts again if it is over or was off', async () => {
  const account = await openAccount(server())
  const [hour, other] = [down({ for: '1h' }), { on: '*', nth: 99, type: 'reset' }]
  await putFaults(account, hour)
  await account.advance('40m')
  await putFaults(account, other, hour)
  expect(await answers(account, '19m', '1m')).toEqual([503, 200])
  await putFaults(account, hour)
  await account.advance('40m')
  await putFaults(account, { ...hour, off: true })
  expect(await status(account)).toBe(200)
  await putFaults(account, hour)
  expect(await answers(account, '59m', '1m')).toEqual([503, 200])
})

test('from and until: active from the first instant until just before the second', async () => {
  const account = await openAccount(server())
  const now = await account.now()
  await putFaults(account, down({ from: shifted(now, HOUR), until: shifted(now, 2 * HOUR) }))
  expect(await answers(account, '0s', '59m59s999ms', '1ms', '59m59s999ms', '1ms')).toEqual([
    200, 200, 503, 503, 200,
  ])
})

test('from and until each work alone', async () => {
  const account = await openAccount(server())
  const now = await account.now()
  await putFaults(account, down({ from: shifted(now, HOUR) }))
  expect(await answers(account, '0s', '1h', '300d')).toEqual([200, 503, 503])
  await putFaults(account, down({ until: shifted(await account.now(), HOUR) }))
  expect(await answers(account, '0s', '1h')).toEqual([503, 200])
})

test('from and for: active for that long from then', async () => {
  const account = await openAccount(server())
  await putFaults(account, down({ from: shifted(await account.now(), HOUR), for: '10m' }))
  expect(await answers(account, '0s', '1h', '9m', '1m')).toEqual([200, 503, 503, 200])
})

test('calls outside the window are not counted', async () => {
  const account = await openAccount(server())
  await putFaults(account, down({ from: shifted(await account.now(), HOUR), nth: 2 }))
  expect(await answers(account, '0s', '0s', '1h', '0s', '0s')).toEqual([200, 200, 200, 503, 200])
})

test('a webhook fault is decided when its event is queued', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  const payments = [await createPayment(account), await createPayment(account), await createPayment(account)]
  await putFaults(account, {
    on: 'webhook',
    type: 'drop',
    for: '1h',
    from: shifted(await account.now(), HOUR),
  })
  for (const { id } of payments) {
    await succeeded(account.trigger(id, 'succeed'))
    await account.advance('1h')
  }
  expect(receiver.deliveries.map(({ event }) => event.data.id)).toEqual([payments[0].id, payments[2].id])
})

test('GET returns the faults as given, with their windows', async () => {
  const account = await openAccount(server())
  const now = await account.now()
  const later = shifted(now, HOUR)
  const given = [down({ for: '1h' }), down({ from: later }), down({ until: later }), down({})]
  await putFaults(account, ...given)
  expect(await faultsOf(account)).toEqual(given)
  expect((await account.control('GET', '/faults')).body.windows).toEqual([
    { from: now, until: later },
    { from: later, until: null },
    { from: null, until: later },
    null,
  ])
})

test('a crash and a restart keep the window', async () => {
  const first = await ownServer()
  const account = await openAccount(first)
  await putFaults(account, down({ for: '1h' }))
  await account.advance('30m')
  const second = await recovered(first)
  const same = accountOf(second, account.keys)
  const list = async () => (await second.as(account.keys)('GET', '/payout_intents')).status
  expect(await list()).toBe(503)
  await same.advance('29m59s999ms')
  expect(await list()).toBe(503)
  await same.advance('1ms')
  expect(await list()).toBe(200)
})

test.each<[Fault, string]>([
  [{ from: '2031-01-02T00:00:00Z', until: '2031-01-01T00:00:00Z' }, 'until'],
  [{ from: '2031-01-02T00:00:00Z', until: '2031-01-02T07:00:00+07:00' }, 'until'],
  [{ for: '1h', until: '2031-01-01T00:00:00Z' }, 'until'],
  [{ for: '0s' }, 'for'],
  [{ for: 'an hour' }, 'for'],
  [{ for: 3600 }, 'for'],
  [{ from: '2031-01-02' }, 'from'],
  [{ from: '10m' }, 'from'],
  [{ until: '2031-02-30T00:00:00Z' }, 'until'],
  [{ untill: '2031-02-01T00:00:00Z' }, 'untill'],
])('%j is refused, and changes nothing', async (window, field) => {
  const account = await openAccount(server())
  await putFaults(account, down({ for: '2h' }))
  const answer = await sendFaults(account, [down({}), down(window)])
  expect(answer.status, answer.text).toBe(400)
  expect(answer.body.error.details.map((detail: { field: string }) => detail.field)).toContain(
    `faults.1.${field}`,
  )
  expect(await faultsOf(account)).toEqual([down({ for: '2h' })])
  expect(await status(account)).toBe(503)
})
