import { expect, test } from 'vitest'
import { promptPay, standingAccount } from '../support/library/library.ts'

const quick = { rules: [{ outcome: { after: '5s', status: 'succeeded' as const } }] }

test('next() on a virtual clock says how to advance it, and that works', async () => {
  const account = await standingAccount(quick)
  const { id } = await account.client.payments.create(promptPay())
  const says =
    /no webhook with type "payment.succeeded" within 2s.*clock of .*\.test stands still.*advance\('5s'\)/
  await expect(account.webhooks.next({ type: 'payment.succeeded' })).rejects.toThrow(says)
  await account.clock.advance('5s')
  expect((await account.webhooks.next({ type: 'payment.succeeded' })).data.id).toBe(id)
  await expect(account.webhooks.next({ type: 'payment.failed' }, { timeoutMs: 10 })).rejects.toThrow(
    /received so far: payment.succeeded of .*nothing is due: act on a payment/,
  )
})

test('a test may wait first and act afterwards', async () => {
  const account = await standingAccount(quick)
  const { id } = await account.client.payments.create(promptPay())
  const [event, paid] = await Promise.all([
    account.webhooks.next({ type: 'payment.succeeded' }),
    account.client.payments.wait(id),
    account.clock.advance('5s'),
  ])
  expect([event.data.id, paid.status]).toEqual([id, 'succeeded'])
})

test('payments.wait() on a virtual clock says how to advance it', async () => {
  const account = await standingAccount(quick)
  const { id } = await account.client.payments.create(promptPay())
  const says = /was still pending after \d+m?s\. The clock of .*\.test stands still.*advance\('5s'\)/
  await expect(account.client.payments.wait(id)).rejects.toThrow(says)
  await expect(account.client.payments.wait(id, { timeoutMs: 1 })).rejects.toThrow(says)
})
