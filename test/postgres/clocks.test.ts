import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCluster } from '../support/cluster/cluster.ts'
import { driverOf, type Server } from '../support/gateway/server.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'
import { HOUR } from '../support/time/instants.ts'
import { aWall } from '../support/time/wall.ts'

/** Machines whose clocks differ: an account follows the clock of its holder, but its time never goes back. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`Clocks that differ are not tested here: ${reason}`)

const PAYMENT = paying('th_bank_transfer')

/** What a process shows of an account's time. */
function seenAt(server: Server, merchant: Awaited<ReturnType<Server['merchant']>>) {
  const { listen, controlToken, accounts } = server
  const node = driverOf({
    url: listen,
    control_url: `${listen}/_paysim`,
    control_token: controlToken,
    accounts,
  })
  return {
    clock: async () => {
      const { status, body, text } = await node.control('GET', `/accounts/${merchant.test.id}/clock`)
      expect(status, text).toBe(200)
      return Date.parse(body.now)
    },
    create: async () => {
      const { status, body, text } = await node.as(merchant.test)('POST', '/payment_intents', {
        body: PAYMENT,
      })
      expect(status, text).toBe(201)
      return Date.parse(body.created_at)
    },
  }
}

const inOrder = (times: readonly number[]) => times.toSorted((a, b) => a - b)

describe.skipIf(reason !== undefined)('an account on a real clock', () => {
  test.each(['kill', 'stop'] as const)(
    'does not go back in time after the %s of its holder, nor after that of the next one, if their clocks were ahead',
    async end => {
      const ahead = await aWall()
      ahead.shift(HOUR)
      const store = await (await workerPostgres()).newDatabase()
      const { server, nodes, join, leave } = await startCluster({ store, nodes: 1, env: ahead.env })
      onTestFinished(() => server.kill())
      const [first] = nodes
      if (!first) throw new Error('one process')
      const merchant = await first.merchant()
      const shown: number[] = []
      const before = seenAt(first, merchant)
      shown.push(await before.create())
      // No entry has this time.
      await sleep(1500)
      shown.push(await before.clock())
      expect(shown.at(-1)).toBeGreaterThan(Date.now() + HOUR / 2)
      let holder = first
      for (let nth = 0; nth < 2; nth++) {
        const next = await join()
        leave(holder)
        const ended = holder[end]()
        const after = seenAt(next, merchant)
        shown.push(await after.clock())
        await ended
        // The next holder of the two has written nothing.
        if (nth === 1) shown.push(await after.create())
        await sleep(1500)
        shown.push(await after.clock())
        holder = next
      }
      expect(shown).toEqual(inOrder(shown))
      // The hour that the first was ahead, and not twice that.
      expect(shown.at(-1)).toBeLessThan(Date.now() + HOUR + HOUR / 2)
    },
  )

  test('does not go back in time after the kill of a holder whose clock was set back, if that of the next one is, too', async () => {
    const wall = await aWall()
    const store = await (await workerPostgres()).newDatabase()
    const { server, nodes, join, leave } = await startCluster({ store, nodes: 1, env: wall.env })
    onTestFinished(() => server.kill())
    const [first] = nodes
    if (!first) throw new Error('one process')
    const merchant = await first.merchant()
    const before = seenAt(first, merchant)
    const shown = [await before.create()]
    wall.shift(-HOUR)
    // It renews its lease meanwhile.
    await sleep(2500)
    shown.push(await before.clock())
    const next = await join(wall.env)
    leave(first)
    await first.kill()
    const after = seenAt(next, merchant)
    shown.push(await after.clock(), await after.create())
    expect(shown).toEqual(inOrder(shown))
    expect(shown.at(-1)).toBeLessThan(Date.now() + HOUR / 2)
  })
})
