import { beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../../support/cli/shop.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'
import type { Server } from '../../support/gateway/server.ts'
import { workerServer } from '../../support/gateway/worker-server.ts'

const place = useWorkplace()
let server: Server
let shop: Shop
beforeAll(async () => {
  server = await workerServer()
  const where = { place: place(), server, url: server.url, createPath: '/payment_intents', flags: [] }
  shop = openShop(where, await server.merchant({ clock: { mode: 'virtual' } }))
})
const hosted = (reference: string) => [
  ...['--amount', '1,234.50 THB', '--country', 'TH', '--merchant-reference', reference],
]
const create = (args: readonly string[]) => shop.paysim('payments create', args)
const KEY = /idempotency key ([\da-f-]{36})\n/

test('create prints a hosted payment as the API answered it', async () => {
  const { code, stdout } = await create([...hosted('order-hosted'), '-o', 'json'])
  expect(code).toBe(0)
  const payment = JSON.parse(stdout)
  expect(payment).toMatchObject({ amount: '123450', checkout_mode: 'hosted', payment_method: null })
  expect(stdout.trimEnd()).toBe(await shop.text(`/payment_intents/${payment.id}`))
})

test('create makes a bank transfer with what its route requires', async () => {
  const args = [
    ...hosted('order-transfer'),
    ...['--checkout-mode', 'merchant', '--payment-method', 'th_bank_transfer', '--option', 'bank=scb'],
  ]
  const { stdout, stderr } = await create([...args, '--customer-name', 'สมชาย ใจดี'])
  expect(stdout).toContain('Siam Commercial Bank')
  const id = /pi_\w+/.exec(stdout)?.[0]
  expect(stderr).toContain(`paysim payments wait ${id}`)
  expect(stderr).toContain(`paysim payments submit-receipt ${id} --file slip.jpg`)
  const { body } = await shop.control('GET', '/payments')
  expect(body.data.find((one: { id: string }) => one.id === id)).toMatchObject({
    customer: { name: 'สมชาย ใจดี' },
  })

  const refused = await create(args)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('(--customer-name)')
})

test('create makes and prints a key; with it, the payment is made once', async () => {
  const first = await create([...hosted('order-key'), '--query', 'id'])
  const key = KEY.exec(first.stderr)?.[1] ?? ''
  const again = await create([...hosted('order-key'), '--query', 'id', '--idempotency-key', key])
  expect(again).toMatchObject({ code: 0, stdout: first.stdout })
  expect(again.stderr).not.toMatch(KEY)
  const other = await create([...hosted('another-order'), '--idempotency-key', key])
  expect(other).toMatchObject({ code: 5, stdout: '' })
  const without = await create([...hosted('order-key'), '--no-idempotency-key', '--query', 'id'])
  expect(without.stderr).not.toMatch(KEY)
  expect(without.stdout).not.toBe(first.stdout)
})

test('a lost answer makes no second payment', async () => {
  const fault = { on: 'POST /payment_intents', times: 1, type: 'reset', when: 'after_commit' }
  await shop.control('PUT', '/faults', { body: { faults: [fault] } })
  expect(await create([...hosted('order-lost'), '--query', 'status'])).toMatchObject({
    code: 0,
    stdout: 'pending\n',
  })
  const { body } = await shop.control('GET', '/payments')
  const made = body.data.filter(
    (one: { merchant_reference: string }) => one.merchant_reference === 'order-lost',
  )
  expect(made).toHaveLength(1)
  // The same fault would go on with its counts, and it is used up.
  await shop.control('DELETE', '/faults')
  await shop.control('PUT', '/faults', { body: { faults: [fault] } })
  expect(await create([...hosted('order-lost-too'), '--no-idempotency-key'])).toMatchObject({ code: 7 })
  await shop.control('DELETE', '/faults')
})

test('methods list prints the methods for an amount as the API answers them', async () => {
  const terms = ['--amount', '1,234.50 THB', '--country', 'TH', '--checkout-mode', 'merchant']
  const { code, stdout, stderr } = await shop.paysim('methods list -o json', terms)
  expect(code).toBe(0)
  expect(stderr).toContain('123450 in minor units')
  const query = 'amount=123450&currency=THB&country=TH&checkout_mode=merchant'
  expect(stdout.trimEnd()).toBe(await shop.text(`/payment_methods/options?${query}`))
  const pinned = await shop.paysim('methods list --provider monsoon --query methods[].code', terms)
  expect(pinned.stdout.split('\n')).toContain('th_mobile_banking')
  expect(pinned.stdout).not.toContain('th_promptpay')
})

test('methods list names everything that is missing at once', async () => {
  const bare = await shop.paysim('methods list')
  expect(bare).toMatchObject({ code: 2, stdout: '' })
  expect(bare.stderr).toContain('--amount, --currency and --country are missing')
  const { stderr } = await shop.paysim('methods list --amount', ['10 THB'])
  expect(stderr).toContain('--country is missing')
})

test('a pending payment is cancelled, with a key', async () => {
  const { stdout } = await create([
    ...hosted('order-cancel'),
    '--payment-method',
    'th_promptpay',
    '--query',
    'id',
  ])
  const cancel = await shop.paysim(`payments cancel ${stdout.trim()} -o json`)
  expect(cancel.code, cancel.stderr).toBe(0)
  expect(cancel.stderr).toMatch(KEY)
  expect(JSON.parse(cancel.stdout)).toMatchObject({ id: stdout.trim(), status: 'pending' })
  await shop.advance('1m')
  expect(await shop.paysim(`payments cancel ${stdout.trim()}`)).toMatchObject({ code: 5, stdout: '' })
})
