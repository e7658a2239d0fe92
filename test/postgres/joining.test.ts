import { describe, expect, onTestFinished, test } from 'vitest'
import { startCluster } from '../support/cluster/cluster.ts'
import { type Call, driverOf, type Server } from '../support/gateway/server.ts'
import { isLong } from '../support/long-form.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** A process joins another one under load, takes its share, and leaves again. */

const reason = isLong ? whyNoPostgres() : 'it is in the long form'
if (reason !== undefined) console.warn(`A process that joins others is not tested here: ${reason}`)

const PAYMENT = paying('th_bank_transfer')
const MERCHANTS = 24
/** So many callers that a merchant rarely has no call in progress. */
const CALLERS = 6

interface HeldRow {
  readonly merchant: string
  readonly node: string | null
}

const at = ({ listen, controlToken, accounts }: Server) =>
  driverOf({ url: listen, control_url: `${listen}/_paysim`, control_token: controlToken, accounts })

/**
 * A process may stop between a connection and its call. It then refuses the call or closes the connection, and does
 * nothing: otherwise there would be an unknown payment.
 */
const patient =
  (call: Call): Call =>
  async (...args) => {
    for (;;)
      try {
        const answer = await call(...args)
        if (answer.status !== 503 || !answer.text.includes('The server is stopping')) return answer
      } catch (cause) {
        if (!isClosedUnread(cause)) throw cause
      }
  }

const isClosedUnread = (cause: unknown) =>
  cause instanceof Error &&
  'code' in cause &&
  ['UND_ERR_SOCKET', 'ECONNRESET', 'ECONNREFUSED'].includes(String(cause.code))

describe.skipIf(reason !== undefined)('a process that joins another', () => {
  test('takes its share and gives it back without failing a call or losing a payment', async () => {
    const store = await (await workerPostgres()).newDatabase()
    const { server, nodes, join, leave } = await startCluster({ store, nodes: 1 })
    onTestFinished(() => server.kill())
    const merchants: Awaited<ReturnType<Server['merchant']>>[] = []
    for (let nth = 0; nth < MERCHANTS; nth++)
      merchants.push(await server.merchant({ clock: { mode: 'virtual' } }))
    const made = merchants.map(() => [] as string[])
    const wrong: string[] = []
    const tookMs: number[] = []
    let isOver = false
    const load = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let turn = caller; !isOver; turn += 5) {
        const nth = turn % MERCHANTS
        const merchant = merchants[nth]
        if (!merchant) continue
        const call = patient(server.as(merchant.test))
        const before = performance.now()
        // The balancer gives each call to the next process.
        const created = await call('POST', '/payment_intents', { body: PAYMENT })
        tookMs.push(performance.now() - before)
        if (created.status !== 201) wrong.push(`${created.status} ${created.text}`)
        else made[nth]?.push(created.body.id)
        const read = await call('GET', `/payment_intents/${created.body?.id}`)
        if (read.text !== created.text) wrong.push(`${read.status} ${read.text} instead of ${created.text}`)
      }
    })
    const [first] = nodes
    if (!first) throw new Error('one process')
    const rows = async (): Promise<HeldRow[]> =>
      (await at(first).control('GET', '/nodes?limit=100')).body.holdings.data
    const holders = async () => new Set((await rows()).map(({ node }) => node).filter(node => node !== null))
    expect((await holders()).size).toBe(1)
    const second = await join()
    // A merchant that moves is called soon, and the other process then holds it.
    const movesOf = async (server: Server) =>
      Number(
        (await at(server).control('GET', '/metrics')).text.match(/^paysim_moves_total\{.*\} (\d+)$/m)?.[1],
      )
    await expect.poll(async () => (await holders()).size).toBe(2)
    let moves = 0
    await expect
      .poll(
        async () => {
          const before = moves
          moves = await movesOf(first)
          return moves > 0 && moves === before
        },
        { interval: 3000 },
      )
      .toBe(true)
    leave(second)
    expect(await second.stop()).toBe(0)
    await expect.poll(async () => (await holders()).size).toBe(1)
    isOver = true
    await Promise.all(load)
    expect(wrong).toEqual([])
    // No merchant moved back.
    expect(await movesOf(first)).toBe(moves)
    for (const [nth, merchant] of merchants.entries()) {
      const { body } = await server.control('GET', `/accounts/${merchant.test.id}/payments?limit=1000`)
      const ids = body.data.map(({ id }: { id: string }) => id)
      expect(ids.toSorted()).toEqual(made[nth]?.toSorted())
    }
    const sorted = tookMs.toSorted((a, b) => a - b)
    const ms = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
    console.log(
      `${moves} moves among ${sorted.length} creates: median ${ms(0.5)} ms, p99 ${ms(0.99)} ms, longest ${ms(0.9999)} ms`,
    )
  })
})
