import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { contentOf, expectRefusal, idOfNothing, notFound } from '../../support/http/refusals.ts'
import {
  attachAsset,
  createPayment,
  createTransfer,
  storeAsset,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, listedIds, movePayout, readPayout } from '../../support/payments/payouts.ts'

const server = sharedServer()

/** What one account owns, in states in which the owner's own request would succeed or be refused. */
interface Belongings {
  qr: string
  transfer: string
  settled: string
  payout: string
  cancelled: string
  asset: string
}

let me: Account
let myTransfer: string
let others: Record<'another merchant’s' | 'my other environment’s', { account: Account; owned: Belongings }>

async function furnish(account: Account): Promise<Belongings> {
  const [qr, transfer, settled] = [
    await createPayment(account),
    await createTransfer(account),
    await createPayment(account),
  ]
  await succeeded(account.trigger(settled.id, 'succeed'))
  const [payout, cancelled] = [await addPayout(account), await addPayout(account)]
  await succeeded(cancelPayout(account, cancelled.id))
  const asset = await storeAsset(account)
  return {
    qr: qr.id,
    transfer: transfer.id,
    settled: settled.id,
    payout: payout.id,
    cancelled: cancelled.id,
    asset: asset.id,
  }
}

beforeAll(async () => {
  const mine = await openMerchant(server())
  const stranger = await openMerchant(server())
  me = mine.test
  myTransfer = (await createTransfer(me)).id
  others = {
    'another merchant’s': { account: stranger.test, owned: await furnish(stranger.test) },
    'my other environment’s': { account: mine.live, owned: await furnish(mine.live) },
  }
})

const operations: [string, keyof Belongings, (id: string) => Promise<Answer>][] = [
  ['GET of a pending payment', 'qr', id => me.call('GET', `/payment_intents/${id}`)],
  ['GET of a settled payment', 'settled', id => me.call('GET', `/payment_intents/${id}`)],
  ['cancel-pending of a pending payment', 'qr', id => me.cancel(id)],
  ['cancel-pending of a settled payment', 'settled', id => me.cancel(id)],
  ['a receipt by asset', 'transfer', id => attachAsset(me, id, idOfNothing('ast'))],
  [
    'a receipt by asset without asset_id',
    'transfer',
    id => me.call('POST', `/payment_intents/${id}/receipt`, { body: {} }),
  ],
  ['a receipt by upload', 'transfer', id => uploadReceipt(me, id, 'isolation')],
  ['a receipt by upload, for a payment that takes none', 'qr', id => uploadReceipt(me, id, 'isolation')],
  ['a cancel of a payout', 'payout', id => cancelPayout(me, id, { reason: 'Mine?' })],
  ['a cancel of a cancelled payout', 'cancelled', id => cancelPayout(me, id)],
  ['a cancel of a payout with a bad reason', 'payout', id => cancelPayout(me, id, { reason: '' })],
]

const owners = ['another merchant’s', 'my other environment’s'] as const

describe.each(owners)('%s record gets the same answer as one that never existed', owner => {
  test.each(operations)('%s', async (_, kind, request) => {
    const foreign = others[owner].owned[kind]
    const nothing = idOfNothing(foreign.startsWith('po') ? 'po' : 'pi')
    const answer = await request(foreign)
    expectRefusal(answer, notFound)
    expect(contentOf(answer, foreign)).toEqual(contentOf(await request(nothing), nothing))
  })

  test('a receipt with their asset', async () => {
    const foreign = others[owner].owned.asset
    const nothing = idOfNothing('ast')
    const answer = await attachAsset(me, myTransfer, foreign)
    expectRefusal(answer, notFound)
    expect(contentOf(answer, foreign)).toEqual(contentOf(await attachAsset(me, myTransfer, nothing), nothing))
    expect((await me.read(myTransfer)).receipt).toEqual({ status: 'required' })
  })

  test('with an idempotency key that its owner has used', async () => {
    const { account, owned } = others[owner]
    const key = { 'idempotency-key': 'shared-key', 'content-type': 'application/json' }
    const cancel = (of: Account, id: string) =>
      of.call('POST', `/payment_intents/${id}/cancel-pending`, { headers: key })
    expect((await cancel(account, owned.qr)).status).toBe(202)
    const answer = await cancel(me, owned.qr)
    expectRefusal(answer, notFound)
    expect(answer.headers.get('idempotent-replayed')).toBeNull()
  })

  test('is unchanged by these requests', async () => {
    const { account, owned } = others[owner]
    expect(await account.read(owned.transfer)).toMatchObject({
      status: 'pending',
      receipt: { status: 'required' },
    })
    expect(await readPayout(account, owned.payout)).toMatchObject({ status: 'requires_approval' })
    const asset = await succeeded(attachAsset(account, owned.transfer, owned.asset))
    expect(asset.receipt.status).toBe('processing')
  })

  test('is not in my payout list', async () => {
    const mine = await addPayout(me)
    expect(await listedIds(me)).toContain(mine.id)
    expect(await listedIds(me)).not.toContain(others[owner].owned.payout)
  })
})

test('one idempotency key in two accounts makes two payments', async () => {
  const [one, other] = [await openMerchant(server()), await openMerchant(server())]
  const accounts = [one.test, one.live, other.test]
  const headers = { 'idempotency-key': 'same-key' }
  const made = await Promise.all(
    accounts.map(account =>
      succeeded(
        account.call('POST', '/payment_intents', {
          headers,
          body: { amount: '25000', currency: 'THB', country: 'TH', merchant_reference: 'x', customer: {} },
        }),
      ),
    ),
  )
  expect(new Set(made.map(({ id }) => id)).size).toBe(3)
})

test('the key sets the environment: no header, query or body changes it', async () => {
  const merchant = await openMerchant(server())
  const body = {
    amount: '25000',
    currency: 'THB',
    country: 'TH',
    merchant_reference: 'x',
    customer: {},
    environment: 'live',
  }
  const headers = { environment: 'live', 'x-environment': 'live' }
  const payment = await succeeded(
    merchant.test.call('POST', '/payment_intents?environment=live', { body, headers }),
  )
  expect(payment.environment).toBe('test')
  expectRefusal(await merchant.live.call('GET', `/payment_intents/${payment.id}?environment=test`), notFound)
  const query = 'amount=25000&country=TH&currency=THB&environment=live'
  const options = await succeeded(merchant.test.call('GET', `/payment_methods/options?${query}`, { headers }))
  expect(options.environment).toBe('test')
})

test('the control surface does not find a payout under another account', async () => {
  const merchant = await openMerchant(server())
  const payout = await addPayout(merchant.test)
  expectRefusal(await movePayout(merchant.live, payout.id, 'approve'), notFound)
  expect((await readPayout(merchant.test, payout.id)).status).toBe('requires_approval')
})
