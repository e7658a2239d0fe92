import { expect, onTestFinished, test } from 'vitest'
import { startCluster } from '../support/cluster/cluster.ts'
import { Chance } from '../support/fuzz/chance.ts'
import { driverOf, type Server } from '../support/gateway/server.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** Processes of a cluster are killed under load. What was answered is there, once, and is answered again as it was. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`Kills in a cluster on PostgreSQL are not tested here: ${reason}`)

const SEED = Number(process.env.PAYSIM_TORTURE_SEED ?? 1)
const KILLS = Number(process.env.PAYSIM_CLUSTER_KILLS ?? 2)
const CLIENTS = 4

test.skipIf(reason !== undefined)(
  `after ${KILLS} kills every answered payment is there once`,
  { timeout: 120_000 + KILLS * 60_000 },
  async () => {
    const chance = new Chance(SEED)
    const cluster = await startCluster({ store: await (await workerPostgres()).newDatabase(), nodes: 3 })
    onTestFinished(() => cluster.server.kill())
    const { nodes } = cluster
    const at = ({ listen, controlToken, accounts }: Server) =>
      driverOf({ url: listen, control_url: `${listen}/_paysim`, control_token: controlToken, accounts })
    const merchant = await at(chance.of(nodes)).merchant({ clock: { mode: 'virtual' } })

    /** By key, the first answer of each payment. */
    const answered = new Map<string, string>()
    const create = async (key: string): Promise<boolean> => {
      const body = paying('th_bank_transfer', { merchant_reference: key })
      const call = at(chance.of(nodes)).as(merchant.test)
      const answer = await call('POST', '/payment_intents', {
        body,
        headers: { 'idempotency-key': key },
      }).catch(() => undefined)
      // Nobody answered, or nobody could: the client asks again with the same key.
      if (!answer || answer.status === 503) return false
      expect(answer.status, answer.text).toBe(201)
      expect(answer.text).toBe(answered.get(key) ?? answer.text)
      answered.set(key, answer.text)
      const read = await call('GET', `/payment_intents/${answer.body.id}`).catch(() => undefined)
      // A call that began after an answer is never answered with an older state.
      if (read && read.status !== 503) expect([read.status, read.text]).toEqual([200, answer.text])
      return true
    }

    let isOver = false
    let made = 0
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        const key = `order-${made++}`
        while (!(await create(key)));
        if (chance.is(0.2)) await create(chance.of([...answered.keys()]))
      }
    })
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = answered.size
      await expect.poll(() => answered.size).toBeGreaterThan(before + 5)
      const victim = chance.of(nodes)
      cluster.leave(victim)
      await victim.kill()
      await cluster.join()
    }
    const before = answered.size
    await expect.poll(() => answered.size).toBeGreaterThan(before + 5)
    isOver = true
    await Promise.all(clients)

    const list = await cluster.server.control('GET', `/accounts/${merchant.test.id}/payments`)
    const references = list.body.data.map(
      (payment: { merchant_reference: string }) => payment.merchant_reference,
    )
    // Each once, and nothing that nobody asked for.
    expect([...references].sort()).toEqual([...answered.keys()].sort())
  },
)
