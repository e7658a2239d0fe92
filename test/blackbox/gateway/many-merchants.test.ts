import { readdirSync, readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { accountOf, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import type { Server } from '../../support/gateway/server.ts'
import { ownServer, recovered, restarted } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { listen } from '../../support/webhooks/receiver.ts'

/** Some are closed while this looks. */
function openJournals(pid: number): number {
  const folder = `/proc/${pid}/fd`
  const targets = readdirSync(folder).map(name => {
    try {
      return readlinkSync(`${folder}/${name}`)
    } catch {
      return ''
    }
  })
  return targets.filter(target => target.endsWith('/journal.jsonl')).length
}

/** Two accounts each: more journals than stay open. */
const MERCHANTS = 300

test('a server with many merchants keeps fewer journals open than it has accounts, and serves all', async ({
  skip,
}) => {
  if (process.platform !== 'linux') skip('only Linux shows which files a process has open')
  const server = await ownServer()
  const merchants = await Promise.all(Array.from({ length: MERCHANTS }, () => server.merchant()))
  expect(openJournals(server.pid)).toBeGreaterThan(0)
  expect(openJournals(server.pid)).toBeLessThan(2 * MERCHANTS)
  const payments = await Promise.all(
    merchants.map(({ test: keys }, nth) =>
      succeeded(
        server.as(keys)('POST', '/payment_intents', {
          body: {
            amount: '25000',
            currency: 'THB',
            country: 'TH',
            payment_method: 'th_promptpay',
            merchant_reference: `order-${nth}`,
            customer: {},
          },
        }),
      ),
    ),
  )
  const again = await restarted(server)
  expect(openJournals(again.pid)).toBeLessThan(2 * MERCHANTS)
  const found = await Promise.all(
    merchants.map(({ test: keys }, nth) =>
      succeeded(again.as(keys)('GET', `/payment_intents/${payments[nth].id}`)),
    ),
  )
  expect(found).toEqual(payments)
})

/** How many accounts are open, and how many are not, as the metrics say. */
async function statesOf(server: Server) {
  const { text } = await server.control('GET', '/metrics')
  const samples = [...text.matchAll(/^paysim_accounts\{state="(\w+)"\} (\d+)$/gm)]
  return Object.fromEntries(samples.map(([, state, count]) => [state, Number(count)]))
}

test('a start opens no account that nobody needs, and neither does what lists all of them', async () => {
  const first = await ownServer()
  const { test: keys } = await first.merchant()
  const account = accountOf(first, keys)
  const { id } = await createPayment(account)
  // The default merchant, and another one.
  expect(await statesOf(first)).toEqual({ open: 4, unopened: 0, stopped: 0 })

  const second = await restarted(first)
  expect((await second.control('GET', '/merchants')).body.data).toHaveLength(2)
  expect((await second.control('GET', '/ready')).body).toEqual({ status: 'ready' })
  expect(await statesOf(second)).toEqual({ open: 0, unopened: 4, stopped: 0 })
  const same = accountOf(second, keys)
  expect((await same.read(id)).id).toBe(id)
  expect(await statesOf(second)).toEqual({ open: 1, unopened: 3, stopped: 0 })

  // A reader changes nothing, so also after a kill nothing need be looked at.
  const third = await recovered(second)
  expect(await statesOf(third)).toEqual({ open: 0, unopened: 4, stopped: 0 })
  await createPayment(accountOf(third, keys))
  // Only of what was written to is it not known what a kill has left.
  const fourth = await recovered(third)
  expect(await statesOf(fourth)).toEqual({ open: 1, unopened: 3, stopped: 0 })
})

test('a webhook that a stop interrupted is sent again after the start, though nobody calls', async () => {
  const first = await ownServer()
  const account = await openAccount(first)
  const receiver = await listen(account)
  receiver.reply(nth => (nth === 1 ? { after: new Promise(() => {}) } : {}))
  const { id } = await createPayment(account)
  await succeeded(account.trigger(id, 'succeed'))
  await receiver.arrived(1)
  const second = await restarted(first)
  const [before, again] = await receiver.arrived(2)
  expect(again?.text).toBe(before?.text)
  expect(await statesOf(second)).toEqual({ open: 1, unopened: 3, stopped: 0 })
})
