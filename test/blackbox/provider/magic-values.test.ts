import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Account, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { receiptOf, upload } from '../../support/payments/receipts.ts'
import { addPayout, payoutOf, type Rule, rulesOf } from '../../support/provider/rules.ts'
import { expectAtBoundary } from '../../support/time/boundary.ts'

const server = sharedServer()

type Pay = (account: Account, method?: string) => Promise<Json>

/** Each outcome is asked for in two ways, in either mode. */
function ways(suffix: string, amount: string): [string, Pay][] {
  const asking: [string, Rule][] = [
    [`order-1${suffix}`, { merchant_reference: `order-1${suffix}` }],
    [suffix, { merchant_reference: suffix }],
    [`amount ${amount}`, { amount }],
  ]
  return asking.flatMap(([name, changes]): [string, Pay][] => [
    [name, (account, method = 'probe_transfer') => account.pay(method, changes)],
    [
      `${name}, hosted`,
      (account, method = 'probe_transfer') => account.payHosted({ payment_method: method, ...changes }),
    ],
  ])
}

const open = async (pay: Pay, method?: string) => {
  const account = await openAccount(server())
  const { id } = await pay(account, method)
  return { account, id, read: () => account.read(id) }
}

describe.each(ways('-succeeds', '77701'))('%s', (_, pay) => {
  test('succeeds at once', async () => {
    const { account, read } = await open(pay)
    await account.advance('0s')
    expect(await read()).toMatchObject({ status: 'succeeded', next_action: null, failure_code: null })
  })

  test('succeeds once its receipt is accepted, where one is required', async () => {
    const { account, id, read } = await open(pay, 'probe_receipt')
    await account.advance('0s')
    expect(await read()).toMatchObject({ status: 'pending', receipt: { status: 'required' } })
    await upload(account, id, png())
    await account.advance('0s')
    expect(await read()).toMatchObject({ status: 'succeeded', receipt: { status: 'submitted' } })
  })
})

describe.each(ways('-declines', '77702'))('%s', (_, pay) => {
  test('is declined at once', async () => {
    const { account, read } = await open(pay)
    await account.advance('0s')
    expect(await read()).toMatchObject({
      status: 'failed',
      failure_code: 'payment_declined',
      failure_message: 'The bank declined the payment',
    })
  })
})

describe.each(ways('-expires', '77703'))('%s', (_, pay) => {
  test('expires after a minute', async () => {
    const { account, read } = await open(pay)
    const moment = {
      in: 60_000,
      before: { status: 'pending' },
      then: { status: 'expired', next_action: null },
    }
    await expectAtBoundary(account, read, moment)
  })
})

describe.each(ways('-receipt-rejected', '77704'))('%s', (_, pay) => {
  test('has its first receipt rejected and the next accepted, and then succeeds', async () => {
    const { account, id, read } = await open(pay, 'probe_receipt')
    await upload(account, id, png(1))
    const rejected = {
      status: 'pending',
      receipt: { status: 'rejected', failure_message: 'Amount is not legible' },
    }
    await expectAtBoundary(account, read, {
      in: 5000,
      before: { receipt: { status: 'processing' } },
      then: rejected,
    })
    await upload(account, id, png(2))
    await account.advance('5s')
    expect(await receiptOf(account, id)).toEqual({ status: 'submitted' })
    await expectAtBoundary(account, read, {
      in: 5000,
      before: { status: 'pending' },
      then: { status: 'succeeded' },
    })
  })
})

describe.each(ways('-cancel-loses', '77705'))('%s', (_, pay) => {
  test('succeeds although a cancellation was requested', async () => {
    const { account, id, read } = await open(pay)
    expect((await account.cancel(id)).status).toBe(202)
    await expectAtBoundary(account, read, {
      in: 5000,
      before: { status: 'pending' },
      then: { status: 'succeeded' },
    })
  })

  test('waits for its payer if nobody cancels', async () => {
    const { account, read } = await open(pay)
    await account.advance('20m')
    expect((await read()).status).toBe('pending')
  })
})

describe.each(ways('-action-late', '77706'))('%s', (_, pay) => {
  test('presents its action after 30 s', async () => {
    const { account, read } = await open(pay)
    await expectAtBoundary(account, read, {
      in: 30_000,
      before: { status: 'processing', next_action: null },
      then: { status: 'pending', next_action: expect.any(Object) },
    })
  })
})

test('the word for payouts declines a payment too', async () => {
  const { account, read } = await open(account =>
    account.pay('probe_transfer', { merchant_reference: 'order-fails' }),
  )
  await account.advance('0s')
  expect(await read()).toMatchObject({ status: 'failed', failure_code: 'payment_declined' })
})

describe('a payout', () => {
  test.each<[string, Rule]>([
    ['wages-succeeds', { status: 'succeeded', failure_code: null }],
    [
      'wages-fails',
      { status: 'failed', failure_code: 'account_closed', failure_message: 'The account is closed' },
    ],
    ['wages', { status: 'requires_approval' }],
    ['wages-declines', { status: 'failed', failure_code: 'account_closed' }],
  ])('%s', async (merchant_reference, ended) => {
    const account = await openAccount(server())
    const { id } = await addPayout(account, { merchant_reference })
    await account.advance('0s')
    expect(await payoutOf(account, id)).toMatchObject(ended)
  })

  test('has no magic amounts', async () => {
    const account = await openAccount(server())
    const { id } = await addPayout(account, { amount: '77701' })
    await account.advance('1h')
    expect((await payoutOf(account, id)).status).toBe('requires_approval')
  })
})

describe('a value that only looks like a magic one waits for its payer', () => {
  test.each<[string, Rule]>([
    ['no dash', { merchant_reference: 'succeeds' }],
    ['not at the end', { merchant_reference: 'order-succeeds-1' }],
    ['a space behind it', { merchant_reference: 'order-succeeds ' }],
    ['another word', { merchant_reference: 'order-success' }],
    ['an ordinary reference', { merchant_reference: 'order-1' }],
    ['one unit less', { amount: '77700' }],
    ['one unit more', { amount: '77707' }],
    ['ten times as much', { amount: '777010' }],
    ['a digit missing', { amount: '7770' }],
  ])('%s', async (_, changes) => {
    const { account, read } = await open(account => account.pay('probe_transfer', changes))
    await account.advance('71h')
    expect((await read()).status).toBe('pending')
  })
})

test('a new account has the rules of the shipped default scenario', async () => {
  const file = new URL('../../../scenarios/default.yaml', import.meta.url)
  const { provider } = parse(await readFile(file, 'utf8'))
  expect(await rulesOf(await openAccount(server()))).toEqual(provider)
})

test('an account with its own rules has no magic values', async () => {
  const account = await openAccount(server(), { rules: [{ match: { kind: 'payout' }, outcome: 'manual' }] })
  const made = await account.pay('probe_transfer', { merchant_reference: 'order-succeeds' })
  await account.advance('1h')
  expect((await account.read(made.id)).status).toBe('pending')
})
