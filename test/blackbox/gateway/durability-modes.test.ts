import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { type Account, accountOf, openAccount } from '../../support/gateway/merchant.ts'
import { scratchDirectory, serveIn } from '../../support/gateway/serve-process.ts'
import type { Server } from '../../support/gateway/server.ts'
import { ownServer, restarted } from '../../support/gateway/shared-server.ts'
import { createPayment, createTransfer } from '../../support/payments/payments.ts'
import { addPayout, listedIds } from '../../support/payments/payouts.ts'

test.each(['commit', 'process'])('with --durability %s all records survive a restart', async durability => {
  const args = ['--durability', durability]
  const first = await ownServer({ args })
  const account = await openAccount(first)
  const [payment, payout] = [await createPayment(account), await addPayout(account)]
  const same = accountOf(await restarted(first, args), account.keys)
  expect(await same.read(payment.id)).toEqual(payment)
  expect(await listedIds(same)).toEqual([payout.id])
})

test('--durability process survives a crash of the process too', async () => {
  const args = ['--durability', 'process']
  const first = await ownServer({ args })
  const account = await openAccount(first)
  const payment = await createPayment(account)
  await first.kill()
  const same = accountOf(await ownServer({ dataDir: first.dataDir, args }), account.keys)
  expect(await same.read(payment.id)).toEqual(payment)
})

test('a directory served with --durability process can then be served with commit', async () => {
  const first = await ownServer({ args: ['--durability', 'process'] })
  const account = await openAccount(first)
  const payment = await createPayment(account)
  const same = accountOf(await restarted(first, ['--durability', 'commit']), account.keys)
  expect(await same.read(payment.id)).toEqual(payment)
})

test('--ephemeral serves without writing files', async () => {
  const directory = await scratchDirectory()
  const { ready, stop } = await serveIn(directory, ['--port', '0', '--ephemeral'])
  const authorization = `Basic ${Buffer.from(
    `${ready.accounts[0].public_key}:${ready.accounts[0].secret_key}`,
  ).toString('base64')}`
  const created = await fetch(`${ready.url}/payment_intents`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: '25000',
      currency: 'THB',
      country: 'TH',
      merchant_reference: 'order-1',
      customer: {},
    }),
  })
  expect(created.status).toBe(201)
  expect(await readdir(directory)).toEqual([])
  expect(await stop()).toBe(0)
  expect(await readdir(directory)).toEqual([])
})

test('without --data the server stores its data in ./.paysim', async () => {
  const directory = await scratchDirectory()
  const { stop } = await serveIn(directory, ['--port', '0'])
  expect(await readdir(directory)).toEqual(['.paysim'])
  expect(await stop()).toBe(0)
})

describe('--seed', () => {
  const NOW = '2031-05-06T07:08:09.010Z'

  /** What a script would write down: keys, ids, instructions. */
  async function story(server: Server) {
    const keys = server.accounts.find(account => account.id === 'default.test')
    if (!keys) throw new Error('no default account')
    const account: Account = accountOf(server, keys)
    await account.control('PUT', '/clock', { body: { mode: 'virtual', now: NOW } })
    const customer = { name: 'Malee Srisuk', phone: '+66812345678', email: 'malee@example.com' }
    const transfer = await createTransfer(account, { customer, payment_method_options: undefined }).catch(
      () =>
        createTransfer(account, {
          customer,
          payment_method_options: { bank: 'bbl', account_name: 'Malee Srisuk', account_number: '1234567890' },
        }),
    )
    const qr = await createPayment(account, { customer })
    const payout = await addPayout(account)
    return {
      accounts: server.accounts.map(({ id, public_key, secret_key }) => [id, public_key, secret_key]),
      ids: [transfer.id, qr.id, payout.id],
      instructions: { ...transfer.next_action, qr: qr.next_action.qr_data },
    }
  }

  const seeded = async (seed: string) => story(await ownServer({ args: ['--seed', seed] }))

  test('reproduces keys, ids and instructions exactly', async () => {
    expect(await seeded('7')).toEqual(await seeded('7'))
  })

  test('gives different ones for a different seed', async () => {
    const [one, other] = [await seeded('7'), await seeded('8')]
    for (const part of ['accounts', 'ids', 'instructions'] as const)
      expect(one[part]).not.toEqual(other[part])
  })

  test('two servers without a seed have different keys and tokens', async () => {
    const [one, other] = [await ownServer(), await ownServer()]
    expect(one.accounts).not.toEqual(other.accounts)
    expect(one.controlToken).not.toBe(other.controlToken)
  })

  test('a restart keeps the keys and repeats no id', async () => {
    const first = await ownServer({ args: ['--seed', '7'] })
    const before = await createPayment(await openAccount(first))
    const second = await restarted(first, ['--seed', '7'])
    expect(second.accounts).toEqual(expect.arrayContaining(first.accounts))
    expect((await createPayment(await openAccount(second))).id).not.toBe(before.id)
  })
})
