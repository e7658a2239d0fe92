import { expect, test } from 'vitest'
import { openAccount, rows } from '../../support/gateway/merchant.ts'
import type { Server } from '../../support/gateway/server.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { isLong } from '../../support/long-form.ts'
import { paymentBody } from '../../support/payments/payments.ts'

/** What a server keeps in memory to be looked at has limits in bytes, which its metrics show. */

async function keptBy(server: Server, what: string): Promise<{ bytes: number; limit: number }> {
  const { text } = await server.control('GET', '/metrics')
  const read = (name: string) => {
    const value = new RegExp(`^${name}\\{what="${what}"\\} (\\d+)$`, 'm').exec(text)?.[1]
    expect(value, text).toBeDefined()
    return Number(value)
  }
  return { bytes: read('paysim_kept_bytes'), limit: read('paysim_kept_bytes_limit') }
}

test('large bodies of earlier requests are forgotten before there are too many of them', async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  const call = server.as(account.keys)
  const first = await call('POST', '/payment_intents', { body: paymentBody() })
  const refused = await call('POST', '/payment_intents', { body: { amount: 'none' } })
  const other = await openAccount(server)
  const theirs = await server.as(other.keys)('POST', '/payment_intents', { body: paymentBody() })
  const before = await keptBy(server, 'bodies')
  expect(before.bytes).toBeGreaterThan(0)
  const body = { ...paymentBody(), unknown_member: 'x'.repeat(20_000) }
  // One account may fill a quarter of the limit.
  const sent = Math.ceil(before.limit / 4 / 16_384) + 20
  let last = ''
  for (let nth = 0; nth < sent; nth += 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('POST', '/payment_intents', { body })),
    )
    last = answers.at(-1)?.headers.get('request-id') ?? ''
    const { bytes, limit } = await keptBy(server, 'bodies')
    expect(bytes).toBeLessThanOrEqual(limit)
  }
  const find = async (id: string | null) => (await account.control('GET', `/requests/${id}`)).body
  expect(await find(last)).toMatchObject({ request: { size: expect.any(Number), truncated: true } })
  const lost = await find(first.headers.get('request-id'))
  // It has left the list of requests as well if there were more than that keeps.
  expect(lost.request ?? null).toBeNull()
  // A refusal outlasts what was carried out, and the load of one account costs no other account anything.
  expect((await find(refused.headers.get('request-id'))).request.body).toBe('{"amount":"none"}')
  const kept = await other.control('GET', `/requests/${theirs.headers.get('request-id')}`)
  expect(kept.body.response.body).toContain(theirs.body.id)
})

// The rule is that of test/engine/recent; to fill the limit of a server takes 2,000 calls of 15 kB.
test.skipIf(!isLong)(
  'requests of the accounts called longest ago are forgotten first (in the long form)',
  async () => {
    const server = await ownServer()
    const { limit } = await keptBy(server, 'requests')
    const path = `/payout_intents?${'x'.repeat(15_000)}`
    const accounts = []
    for (let bytes = 0; bytes < 1.2 * limit; bytes += 500 * 2 * path.length) {
      const account = await openAccount(server)
      const call = server.as(account.keys)
      for (let nth = 0; nth < 500; nth += 25)
        await Promise.all(Array.from({ length: 25 }, () => call('GET', path)))
      accounts.push(account)
      const kept = await keptBy(server, 'requests')
      expect(kept.bytes).toBeLessThanOrEqual(kept.limit)
    }
    const counts = []
    for (const account of accounts) counts.push((await rows(account.control('GET', '/requests'))).length)
    expect(counts[0]).toBe(0)
    expect(counts.at(-1)).toBe(500)
  },
)
