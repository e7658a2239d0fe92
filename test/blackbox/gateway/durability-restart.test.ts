import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesUnder } from '../../support/disk/data-directory.ts'
import { accountOf, openAccount, openMerchant, rows, succeeded } from '../../support/gateway/merchant.ts'
import { SPARE } from '../../support/gateway/probe-catalogue.ts'
import type { Server } from '../../support/gateway/server.ts'
import { ownServer, recovered, restarted } from '../../support/gateway/shared-server.ts'
import { expectRefusal, unauthorized } from '../../support/http/refusals.ts'
import {
  createPayment,
  createTransfer,
  hostedBody,
  paymentBody,
  postPayment,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import {
  addPayout,
  addPayouts,
  cancelPayout,
  listPayouts,
  readPayout,
} from '../../support/payments/payouts.ts'
import { putFaults } from '../../support/provider/faults.ts'
import { mark, putInFront, putRules, rulesOf } from '../../support/provider/rules.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

// A clean stop and a crash must not differ in what is there afterwards.
const ENDINGS = [
  ['a clean stop', restarted],
  ['a crash', recovered],
] as const

/** What must hold of the server that was started again. */
type After = (second: Server) => Promise<void>

test.each(ENDINGS)('after %s everything in an account is unchanged', async (_, again) => {
  const first = await ownServer()
  const checks: After[] = []
  for (const begin of KEPT) checks.push(await begin(first))
  const second = await again(first)
  for (const check of checks) await check(second)
})

/** Every record, key and list is as it was. */
async function allRecords(first: Server): Promise<After> {
  const account = await openAccount(first)
  const pending = await createPayment(account)
  const settled = await createPayment(account)
  const transfer = await createTransfer(account)
  const hosted = await succeeded(
    postPayment(account, hostedBody({ return_url: 'https://shop.example/?a=1#b' })),
  )
  await succeeded(account.trigger(settled.id, 'succeed'))
  await succeeded(uploadReceipt(account, transfer.id, 'key'))
  await addPayouts(account, 5)
  const { id: cancelled } = await addPayout(account)
  await succeeded(cancelPayout(account, cancelled, { reason: 'Duplicate' }))
  const ids = [pending, settled, transfer, hosted].map(({ id }) => id)
  const readAll = (of: typeof account) =>
    Promise.all(
      [...ids.map(id => `/payment_intents/${id}`), '/payout_intents'].map(path => of.call('GET', path)),
    )
  const before = await readAll(account)
  const { next_cursor: cursor } = await succeeded(listPayouts(account, { limit: 2 }))
  const secondPage = await listPayouts(account, { limit: 2, cursor })

  return async second => {
    const same = accountOf(second, account.keys)
    expect((await readAll(same)).map(({ text }) => text)).toEqual(before.map(({ text }) => text))
    expect((await listPayouts(same, { limit: 2, cursor })).text).toBe(secondPage.text)
    expect(second.accounts).toEqual(expect.arrayContaining(first.accounts))
  }
}

/** The clock stands where it stood, and timers are still due. */
async function clockAndTimers(first: Server): Promise<After> {
  const account = await openAccount(first)
  const [expiring, cancelling] = [await createPayment(account), await createPayment(account)]
  const transfer = await createTransfer(account)
  await account.advance('71h')
  await succeeded(account.cancel(cancelling.id))
  await succeeded(uploadReceipt(account, transfer.id, 'key'))
  const before = await succeeded(account.control('GET', '/clock'))

  return async second => {
    const same = accountOf(second, account.keys)
    expect(await succeeded(same.control('GET', '/clock'))).toEqual(before)
    await same.advance('4999ms')
    expect((await same.read(cancelling.id)).status).toBe('pending')
    await same.advance('1ms')
    expect((await same.read(cancelling.id)).failure_code).toBe('payment_cancelled')
    expect((await same.read(transfer.id)).receipt.status).toBe('submitted')
    await same.advance('1h')
    expect((await same.read(expiring.id)).status).toBe('expired')
  }
}

/** Idempotent requests are replayed, to the end of their window. */
async function keptAnswers(first: Server): Promise<After> {
  const account = await openAccount(first)
  const create = (of: typeof account) => postPayment(of, paymentBody(), { 'idempotency-key': 'once' })
  const created = await create(account)
  const transfer = await createTransfer(account)
  const uploaded = await uploadReceipt(account, transfer.id, 'upload')
  await account.advance('23h')

  return async second => {
    const same = accountOf(second, account.keys)
    await same.advance('3599s')
    const [replayed, uploadedAgain] = [await create(same), await uploadReceipt(same, transfer.id, 'upload')]
    expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([created.text, 'true'])
    expect([uploadedAgain.text, uploadedAgain.headers.get('idempotent-replayed')]).toEqual([
      uploaded.text,
      'true',
    ])
    expectRefusal(await uploadReceipt(same, transfer.id, 'upload', 2), {
      status: 409,
      code: 'idempotency_conflict',
    })
    await same.advance('1s')
    expect((await create(same)).body.id).not.toBe(created.body.id)
  }
}

/** Undelivered webhooks are delivered, with the ids they had. */
async function undeliveredWebhooks(first: Server): Promise<After> {
  const account = await openAccount(first)
  const receiver = await listen(account)
  receiver.reply(() => ({ status: 500 }))
  const { id } = await createPayment(account)
  await succeeded(account.trigger(id, 'succeed'))
  await settle(account)
  expect(receiver.deliveries).toHaveLength(1)
  receiver.reply(() => ({}))

  return async second => {
    const same = accountOf(second, account.keys)
    await same.advance('5s')
    expect(receiver.deliveries).toHaveLength(2)
    expect(receiver.deliveries[1]?.headers['webhook-id']).toBe(receiver.deliveries[0]?.headers['webhook-id'])
    expect(receiver.deliveries[1]?.event.data).toEqual(await same.read(id))
    await same.advance('30d')
    expect(receiver.deliveries).toHaveLength(2)
  }
}

/** What the control surface set still holds. */
async function settings(first: Server): Promise<After> {
  const merchant = await openMerchant(first, { checkout_modes: ['hosted', 'merchant'] })
  const doomed = await openMerchant(first)
  const revoked = await succeeded(merchant.test.control('POST', '/keys'))
  const added = await succeeded(merchant.test.control('POST', '/keys'))
  await succeeded(merchant.test.control('DELETE', `/keys/${revoked.public_key}`))
  await succeeded(
    first.control('PATCH', `/merchants/${merchant.id}`, { body: { checkout_modes: ['merchant'] } }),
  )
  await succeeded(first.control('DELETE', `/merchants/${doomed.id}`))
  await merchant.test.setHealth(SPARE, false)
  const receiver = await listen(merchant.test)

  return async second => {
    const same = accountOf(second, merchant.test.keys)
    expect((await second.as(added)('GET', '/payout_intents')).status).toBe(200)
    expectRefusal(await second.as(revoked)('GET', '/payout_intents'), unauthorized)
    expectRefusal(await second.as(doomed.test.keys)('GET', '/payout_intents'), unauthorized)
    expect((await second.control('GET', `/merchants/${doomed.id}`)).status).toBe(404)
    expectRefusal(await postPayment(same, hostedBody()), { status: 403, code: 'checkout_mode_not_allowed' })
    expectRefusal(await postPayment(same, paymentBody({ payment_method: 'th_mobile_banking' })), {
      status: 422,
      code: 'routing_unavailable',
    })
    expect(await rows(same.control('GET', '/webhook-endpoints'))).toMatchObject([
      { id: receiver.endpoint.id },
    ])
  }
}

/** A hosted URL given before opens after. */
async function hostedPage(first: Server): Promise<After> {
  const account = await openAccount(first)
  const { next_action } = await succeeded(postPayment(account, hostedBody()))
  const path = next_action.url.slice(first.url.length)
  expect((await fetch(next_action.url)).status).toBe(200)

  return async second => {
    expect((await fetch(`${second.url}${path}`)).status).toBe(200)
  }
}

/** History goes back beyond the stop. */
async function history(first: Server): Promise<After> {
  const account = await openAccount(first)
  const { id } = await createPayment(account)
  const before = await rows(account.control('GET', `/history/${id}`))

  return async second => {
    const same = accountOf(second, account.keys)
    await succeeded(same.trigger(id, 'succeed'))
    const after = await rows(same.control('GET', `/history/${id}`))
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.length).toBeGreaterThan(before.length)
  }
}

/** The rules in force decide on, and count from where they were. */
async function rulesAndCounts(first: Server): Promise<After> {
  const account = await openAccount(first)
  await putRules(account, mark('twice', {}, { times: 2 }), mark('fourth', { nth: 4 }), mark('rest'))
  await createPayment(account)
  await putInFront(account, mark('never', { merchant_reference: 'never' }))
  const rules = await rulesOf(account)

  return async second => {
    const same = accountOf(second, account.keys)
    expect(await rulesOf(same)).toEqual(rules)
    const marks: string[] = []
    for (let made = 0; made < 5; made += 1) {
      const { id } = await createPayment(same)
      await same.advance('0s')
      marks.push((await same.read(id)).failure_code)
    }
    expect(marks).toEqual(['twice', 'rest', 'rest', 'rest', 'fourth'])
  }
}

/** Pending steps of the provider happen on time, by the rule in force when they were set. */
async function providerSteps(first: Server): Promise<After> {
  const account = await openAccount(first)
  await putRules(
    account,
    {
      match: { kind: 'payout' },
      approval: { after: '1h' },
      outcome: { after: '1h', status: 'failed', code: 'kept' },
    },
    {
      action: { expires_after: '40s' },
      receipt: [{ after: '20s', verdict: 'reject', message: 'kept' }],
      cancel: { after: '30s', outcome: 'succeeded' },
    },
  )
  const transfer = await createTransfer(account)
  await succeeded(uploadReceipt(account, transfer.id, 'key'))
  const cancelling = await createPayment(account)
  await succeeded(account.cancel(cancelling.id))
  const waiting = await createPayment(account)
  const payout = await addPayout(account)
  await account.advance('10s')
  await putRules(account)

  return async second => {
    const same = accountOf(second, account.keys)
    await same.advance('9999ms')
    expect((await same.read(transfer.id)).receipt.status).toBe('processing')
    await same.advance('1ms')
    expect((await same.read(transfer.id)).receipt).toMatchObject({
      status: 'rejected',
      failure_message: 'kept',
    })
    await same.advance('10s')
    expect((await same.read(cancelling.id)).status).toBe('succeeded')
    expect((await same.read(waiting.id)).status).toBe('pending')
    await same.advance('10s')
    expect((await same.read(waiting.id)).status).toBe('processing')
    await same.advance('2h')
    expect(await readPayout(same, payout.id)).toMatchObject({ status: 'failed', failure_code: 'kept' })
  }
}

/** The faults are still in force, and a webhook that one held back still arrives. */
async function faults(first: Server): Promise<After> {
  const account = await openAccount(first)
  const receiver = await listen(account)
  await putFaults(
    account,
    { on: 'webhook', type: 'delay', delay: '1h', times: 1 },
    { on: 'GET /payout_intents', type: 'status', status: 418 },
  )
  const { id } = await createPayment(account)
  await succeeded(account.trigger(id, 'succeed'))
  await account.advance('10m')

  return async second => {
    const same = accountOf(second, account.keys)
    expect((await second.as(account.keys)('GET', '/payout_intents')).status).toBe(418)
    await same.advance('49m')
    expect(receiver.deliveries).toHaveLength(0)
    await same.advance('1m')
    expect(receiver.deliveries.map(({ event }) => event.data.id)).toEqual([id])
  }
}

const KEPT = [
  allRecords,
  clockAndTimers,
  keptAnswers,
  undeliveredWebhooks,
  settings,
  hostedPage,
  history,
  rulesAndCounts,
  providerSteps,
  faults,
]

test('a delivery in progress at a crash is sent again', async () => {
  const first = await ownServer()
  const account = await openAccount(first)
  const receiver = await listen(account)
  receiver.reply(nth => (nth === 1 ? { after: new Promise(() => {}) } : {}))
  const { id } = await createPayment(account)
  await succeeded(account.trigger(id, 'succeed'))
  await receiver.arrived(1)

  const same = accountOf(await recovered(first), account.keys)
  await same.advance('5s')
  expect(receiver.deliveries.length).toBeGreaterThanOrEqual(2)
  expect(new Set(receiver.deliveries.map(({ event }) => event.id)).size).toBe(1)
})

test.skipIf(process.platform === 'win32')(
  'only the owner can use the data directory, its folders and its files',
  async () => {
    const first = await ownServer()
    const account = await openAccount(first)
    await succeeded(uploadReceipt(account, (await createTransfer(account)).id, 'key'))
    const { dataDir, controlToken } = await restarted(first)
    const modes: Record<string, string> = {}
    const wanted: Record<string, string> = {}
    const inside = await readdir(dataDir, { recursive: true })
    for (const path of ['.', ...inside]) {
      const found = await lstat(join(dataDir, path))
      modes[path] = (found.mode & 0o777).toString(8)
      wanted[path] = found.isDirectory() ? '700' : '600'
    }
    expect(modes).toEqual(wanted)
    const texts = await Promise.all((await filesUnder(dataDir)).map(path => readFile(path, 'latin1')))
    for (const secret of [account.keys.secret_key, controlToken])
      expect(texts.some(text => text.includes(secret))).toBe(true)
  },
)
