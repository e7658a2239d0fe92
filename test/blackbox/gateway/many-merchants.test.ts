import { readdirSync, readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, restarted } from '../../support/gateway/shared-server.ts'

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
