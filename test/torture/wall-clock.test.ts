import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Chance } from '../support/fuzz/chance.ts'
import type { Json } from '../support/gateway/merchant.ts'
import { paymentBody } from '../support/payments/payments.ts'
import { BINARY } from '../support/paysim-binary.ts'
import { aWall } from '../support/time/wall.ts'
import { FIRST, isRepeat, repeatWith, SEED, shareMs, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'
import { type Reply, startTortured } from '../support/torture/torture-server.ts'

/**
 * The wall clock goes back, forward, and to the end of the year 9999, also while the server is down. An account's time
 * never goes back, its payments expire, and no answer is a 5xx. After a kill, it does not go back before what was written.
 */

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MOVES = 12
/** The last moment that a timestamp can show. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

async function one(chance: Chance, tally: Tally): Promise<void> {
  const wall = await aWall()
  const dataDir = await mkdtemp(join(tmpdir(), 'paysim-clock-'))
  const start = async () => {
    const { server } = await startTortured({ binary: BINARY, dataDir, env: wall.env })
    if (!server) throw new Error('it ended without a plan')
    return server
  }
  let server = await start()
  try {
    const keys = server.accounts.find(({ id }) => id === 'default.test')
    if (!keys) throw new Error('no default.test')
    let offset = 0
    let latest = 0
    let written = 0
    const created = new Map<string, number>()
    const ok = (reply: Reply | undefined): Json => {
      if (!reply || reply.status >= 500)
        throw new Error(`${reply?.status} ${reply?.text}\n${server.stderr()}`)
      return reply.body
    }
    for (let move = 0; move < MOVES; move++) {
      const by = chance.of([-40 * 365 * DAY, -DAY, -HOUR, HOUR, 4 * DAY, 400 * DAY, 'the end' as const])
      offset = by === 'the end' ? LAST - Date.now() - chance.below(2 * DAY) : offset + by
      // Nobody's clock is before 1970.
      offset = Math.max(offset, -50 * 365 * DAY)
      tally.add('hours simulated', by === 'the end' ? 0 : Math.round(Math.abs(by) / HOUR))
      const isDown = chance.is(0.4)
      const isKilled = isDown && chance.is(0.5)
      if (isDown) await (isKilled ? server.kill() : server.stop())
      if (isKilled) latest = written
      wall.shift(offset)
      if (isDown) server = await start()
      tally.add('moves of the wall clock')
      const made = await server.call(keys, 'POST', '/payment_intents', { body: paymentBody() })
      const payment = ok(made)
      if (made?.status === 201) {
        written = Date.parse(payment.created_at)
        created.set(payment.id, written)
      }
      const clock = ok(await server.control('GET', '/accounts/default.test/clock'))
      const now = Date.parse(clock.now)
      if (!(now >= latest)) throw new Error(`the account's time was ${new Date(latest)}, and is ${clock.now}`)
      latest = now
      for (const [id, at] of created) {
        const { status } = ok(await server.call(keys, 'GET', `/payment_intents/${id}`))
        const expected = now >= Math.min(at + 72 * HOUR, LAST) ? 'expired' : 'pending'
        if (status !== expected) throw new Error(`${id} of ${new Date(at)} is ${status} at ${clock.now}`)
      }
    }
    expect(server.stderr()).not.toMatch(/^ {4}at /m)
  } finally {
    await server.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
}

test('account time never goes back, whatever the wall clock does', { timeout: TIMEOUT_MS }, async () => {
  const tally = new Tally('wall-clock')
  let plan = FIRST
  do {
    try {
      await one(new Chance(SEED * 2_654_435_761 + plan), tally)
    } catch (cause) {
      throw new Error(repeatWith('wall-clock', plan), { cause })
    }
    plan++
  } while (!isRepeat && tally.elapsedMs < shareMs(0.02))
  expect(tally.count('moves of the wall clock')).toBeGreaterThanOrEqual(MOVES)
  tally.write()
})
