import { describe, expect, onTestFinished, test } from 'vitest'
import { type Cluster, startCluster } from '../support/cluster/cluster.ts'
import { driverOf, type Server } from '../support/gateway/server.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** Three processes on one database: each of them answers every call, whatever happens to the others. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`A cluster on PostgreSQL is not tested here: ${reason}`)

async function cluster(): Promise<Cluster> {
  const begun = await startCluster({ store: await (await workerPostgres()).newDatabase(), nodes: 3 })
  onTestFinished(() => begun.server.kill())
  return begun
}

const PAYMENT = paying('th_bank_transfer')

/** The callers of one process alone. */
const at = ({ listen, controlToken, accounts }: Server) =>
  driverOf({ url: listen, control_url: `${listen}/_paysim`, control_token: controlToken, accounts })

describe.skipIf(reason !== undefined)('three processes', () => {
  test('each answers calls about a merchant that another created, changed and removed', async () => {
    const { nodes } = await cluster()
    const [one, two, three] = nodes.map(at)
    if (!one || !two || !three) throw new Error('three processes')
    const merchant = await one.merchant({ clock: { mode: 'virtual' } })
    const created = await two.as(merchant.test)('POST', '/payment_intents', { body: PAYMENT })
    expect(created.status).toBe(201)
    const path = `/payment_intents/${created.body.id}`
    for (const node of [one, two, three]) {
      const read = await node.as(merchant.test)('GET', path)
      expect([read.status, read.text]).toEqual([200, created.text])
      const list = await node.control('GET', '/merchants')
      expect(list.body.data.map(({ id }: { id: string }) => id)).toContain(merchant.id)
    }
    // A key that one process creates or revokes is valid or invalid at all of them at once.
    const keys = await three.control('POST', `/accounts/${merchant.test.id}/keys`)
    expect((await two.as(keys.body)('GET', path)).status).toBe(200)
    await two.control('DELETE', `/accounts/${merchant.test.id}/keys/${keys.body.public_key}`)
    for (const node of [one, two, three]) expect((await node.as(keys.body)('GET', path)).status).toBe(401)
    // So is the policy.
    await three.control('PATCH', `/merchants/${merchant.id}`, { body: { checkout_modes: ['hosted'] } })
    for (const node of [one, two, three])
      expect((await node.as(merchant.test)('POST', '/payment_intents', { body: PAYMENT })).status).toBe(403)
    // A link signs in once, wherever it is opened.
    const link = (await one.control('POST', '/dashboard/links')).body.url
    const opened = async (server = nodes[1]) => {
      const { search } = new URL(link)
      const address = `${server?.listen}/_paysim/dashboard/sign-in${search}`
      return (await fetch(address, { redirect: 'manual' })).headers.get('location')
    }
    expect(await opened()).toBe('/_paysim/dashboard/')
    expect(await opened(nodes[2])).toBe('/_paysim/dashboard/?link=used')
    expect((await two.control('DELETE', `/merchants/${merchant.id}`)).status).toBe(204)
    for (const node of [one, two, three]) {
      expect((await node.as(merchant.test)('GET', path)).status).toBe(401)
      expect((await node.control('GET', `/merchants/${merchant.id}`)).status).toBe(404)
    }
  })

  test('only one of several concurrent creations with one id, at different processes, succeeds', async () => {
    const { nodes } = await cluster()
    for (let round = 0; round < 5; round++) {
      const asked = nodes
        .map(at)
        .map(node => node.control('POST', '/merchants', { body: { id: `acme-${round}` } }))
      const answers = await Promise.all(asked)
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
      for (const { status, body } of answers)
        if (status === 422) expect(body.error.message).toBe(`Merchant acme-${round} exists`)
    }
  })

  test('a browser that signed in through the balancer is signed in at each of them', async () => {
    const { server, nodes } = await cluster()
    const { url } = (await server.control('POST', '/dashboard/links')).body
    expect(new URL(url).origin).toBe(server.url)
    const signedIn = await fetch(url, { redirect: 'manual' })
    const [cookie = ''] = signedIn.headers.get('set-cookie')?.split(';') ?? []
    for (const _ of nodes) {
      const session = await fetch(`${server.controlUrl}/dashboard/session`, { headers: { cookie } })
      expect(await session.json()).toEqual({ signed_in: true })
    }
  })

  test('each reports the processes, their merchants, forwarded calls, and a process that is gone', async () => {
    const { nodes, leave } = await cluster()
    const [first, second, third] = nodes
    if (!first || !second || !third) throw new Error('three processes')
    const [one, two, three] = [at(first), at(second), at(third)]
    const merchant = await one.merchant({ clock: { mode: 'virtual' } })
    const shown = async () => (await three.control('GET', `/nodes?q=${merchant.id}`)).body
    type Row = { address: string; forwarded: number; takeovers: number; serving: boolean; node: string }
    const rowOf = async ({ listen }: Server): Promise<Row | undefined> =>
      (await shown()).nodes.find(({ address }: Row) => address === listen)
    const holderOf = async () => (await shown()).holdings.data[0]
    const firstNode = (await rowOf(first))?.node
    expect(await shown()).toMatchObject({ clustered: true, holdings: { total: 1 } })
    expect(await holderOf()).toEqual({ merchant: merchant.id, node: firstNode, takeovers: 0 })
    for (let nth = 0; nth < 3; nth++)
      expect((await two.as(merchant.test)('GET', '/payment_intents/none')).status).toBe(404)
    // The others learn of it when it renews its lease.
    await expect.poll(async () => (await rowOf(second))?.forwarded).toBeGreaterThanOrEqual(3)
    const metrics = (await two.control('GET', '/metrics')).text
    expect(metrics).toMatch(/^paysim_forwarded_total\{node="[^"]+"\} ([3-9]|\d\d+)$/m)
    expect(metrics).toMatch(/^paysim_lease_lag_seconds\{node="[^"]+"\} \d/m)
    leave(first)
    await first.kill()
    expect((await two.as(merchant.test)('GET', '/payment_intents/none')).status).toBe(404)
    expect((await rowOf(first))?.serving ?? false).toBe(false)
    // It may belong to either of the two.
    const { node, ...held } = await holderOf()
    expect(held).toEqual({ merchant: merchant.id, takeovers: 1 })
    const next = (await rowOf(second))?.node === node ? second : third
    expect((await rowOf(next))?.node).toBe(node)
    await expect.poll(async () => (await rowOf(next))?.takeovers).toBeGreaterThanOrEqual(1)
    expect((await at(next).control('GET', '/metrics')).text).toMatch(
      /^paysim_takeovers_total\{node="[^"]+"\} [1-9]/m,
    )
  })

  test.each(['kill', 'stop'] as const)(
    'after the %s of its holder, the others answer calls about an account',
    async end => {
      const { nodes, leave } = await cluster()
      const [first, second, third] = nodes
      if (!first || !second || !third) throw new Error('three processes')
      const merchant = await at(first).merchant({ clock: { mode: 'virtual' } })
      const created = await at(first).as(merchant.test)('POST', '/payment_intents', { body: PAYMENT })
      leave(first)
      const ended = first[end]()
      const path = `/payment_intents/${created.body.id}`
      for (const node of [second, third]) {
        const read = await at(node).as(merchant.test)('GET', path)
        expect([read.status, read.text]).toEqual([200, created.text])
      }
      await ended
      const further = await at(third).as(merchant.test)('POST', '/payment_intents', { body: PAYMENT })
      expect(further.status).toBe(201)
    },
  )

  test('a paused process does not answer with old data when it continues', async () => {
    const { nodes } = await cluster()
    const [first, second] = nodes
    if (!first || !second) throw new Error('three processes')
    const merchant = await at(first).merchant({ clock: { mode: 'virtual' } })
    const call = at(second).as(merchant.test)
    const created = await call('POST', '/payment_intents', { body: PAYMENT })
    process.kill(first.pid, 'SIGSTOP')
    onTestFinished(() => {
      process.kill(first.pid, 'SIGCONT')
    })
    // The call waits until the lease of the paused process has expired.
    const path = `/payment_intents/${created.body.id}`
    const cancelled = await call('POST', `${path}/cancel-pending`, {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    })
    expect(cancelled.status).toBe(202)
    process.kill(first.pid, 'SIGCONT')
    const read = await at(first).as(merchant.test)('GET', path)
    expect(read.body).toEqual(cancelled.body)
    const again = await at(first).as(merchant.test)('POST', `${path}/cancel-pending`, {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    })
    expect([again.status, again.text]).toEqual([202, cancelled.text])
  })
})
