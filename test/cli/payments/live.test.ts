import { beforeAll, expect, test } from 'vitest'
import { environmentOf, openShop, type Shop } from '../../support/cli/shop.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'
import type { Server } from '../../support/gateway/server.ts'
import { workerServer } from '../../support/gateway/worker-server.ts'
import { png } from '../../support/payments/receipt-images.ts'

/** With a live key and nobody to ask, nothing is changed that was not confirmed. */

const place = useWorkplace()
let server: Server
let shop: Shop
beforeAll(async () => {
  server = await workerServer()
  const where = { place: place(), server, url: server.url, createPath: '/payment_intents', flags: [] }
  shop = openShop(where, await server.merchant())
})
const live = (words: string, args: readonly string[] = []) =>
  shop.paysim(words, args, { env: environmentOf(server.url, shop.live) })
const CREATE = [
  ...['--amount', '100 THB', '--country', 'TH', '--merchant-reference', 'order-live'],
  ...['--payment-method', 'th_bank_transfer', '--customer-name', 'Somchai'],
]

test('creating, cancelling and submitting need --yes, and end with 2 without it', async () => {
  const slip = await place().write('slip.png', png())
  const refused = await Promise.all([
    live('payments create', CREATE),
    live('payments cancel pi_unknown'),
    live('payments submit-receipt pi_unknown --file', [slip]),
    live('payments submit-receipt pi_unknown --asset ast_unknown'),
  ])
  for (const { code, stdout, stderr } of refused) {
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('add --yes to confirm')
    expect(stderr).not.toContain('idempotency key')
  }
  expect(refused[0]?.stderr).toContain('create a payment of 100.00 THB with a live key')
  expect(await shop.requests(shop.live)).toEqual([])
})

test('--yes carries them out, and a dry run does not need it', async () => {
  expect(await live('payments create --dry-run', CREATE)).toMatchObject({ code: 0 })
  const { code, stdout } = await live('payments create --yes --query id', CREATE)
  expect(code).toBe(0)
  expect(await live(`payments cancel ${stdout.trim()} -y`)).toMatchObject({ code: 0 })
})
