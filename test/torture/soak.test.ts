import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Chance } from '../support/fuzz/chance.ts'
import { paymentBody } from '../support/payments/payments.ts'
import { BINARY } from '../support/paysim-binary.ts'
import { SECONDS, SEED, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'
import { type Reply, startTortured, type TortureServer } from '../support/torture/torture-server.ts'
import { WebhookNotes } from '../support/torture/webhook-notes.ts'

/** A mixed load with webhooks: no 5xx, no leak of memory or handles. */

const A_SECOND = 500
const EVERY_MS = 20
const LONGEST_S = 900
/** A soak of its own takes all of the time: `npm run torture -- --part soak`. */
const SHARE = process.env.PAYSIM_TORTURE_PART === 'soak' ? 1 : 0.6
const MOST_AT_ONCE = 400
/** What a record may keep in memory: its indexes, and those of its event and delivery. */
const MOST_BYTES_A_RECORD = 2048
/** What else may be in use: records that changed lately, requests that are shown, and webhooks on their way. */
const SLACK_BYTES = 100_000_000

const onLinux = process.platform === 'linux'
if (!onLinux) console.warn('Handles and all of the memory are not measured here: only Linux has /proc')

/** All that the process holds: more than is in use, by what is not collected yet. */
const heldBy = (pid: number) =>
  onLinux ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024 : 0
const handlesOf = (pid: number) => (onLinux ? readdirSync(`/proc/${pid}/fd`).length : 0)

class Mix {
  readonly #known: string[] = []
  readonly times: number[] = []
  readonly statuses = new Map<number, number>()
  open = 0
  records = 0

  constructor(
    private readonly server: TortureServer,
    private readonly chance: Chance,
  ) {}

  async one(nth: number): Promise<void> {
    this.open++
    const from = performance.now()
    const reply = await this.#send(nth).finally(() => this.open--)
    this.times.push(performance.now() - from)
    const status = reply?.status ?? 0
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status === 0 || status >= 500) throw new Error(`request ${nth}: ${status} ${reply?.text}`)
  }

  async #send(nth: number): Promise<Reply | undefined> {
    const { server, chance } = this
    const [keys] = server.accounts
    if (!keys) throw new Error('no account')
    const what = chance.next()
    const known = this.#known.length > 0 ? chance.of(this.#known) : undefined
    if (known && what < 0.4) return server.call(keys, 'GET', `/payment_intents/${known}`)
    if (known && what < 0.6)
      return server.control('POST', `/accounts/${keys.id}/payments/${known}/succeed`, {})
    if (what < 0.65) return server.call(keys, 'GET', '/payouts?limit=20')
    if (known && what < 0.7)
      return server.call(keys, 'POST', `/payment_intents/${known}/cancel-pending`, {
        headers: { 'content-type': 'application/json' },
      })
    const headers = { 'idempotency-key': `key ${nth}` }
    const body = paymentBody({ merchant_reference: `order ${nth}` })
    const reply = await server.call(keys, 'POST', '/payment_intents', { headers, body })
    if (reply?.status !== 201) return reply
    this.records++
    // Old ones are asked for too.
    if (this.#known.length < 5000) this.#known.push(reply.body.id)
    else this.#known[chance.below(5000)] = reply.body.id
    return reply
  }
}

test('a mixed load causes no leak and no server error', { timeout: TIMEOUT_MS }, async () => {
  const seconds = Math.min(LONGEST_S, SECONDS * SHARE)
  const tally = new Tally('soak')
  const dataDir = await mkdtemp(join(tmpdir(), 'paysim-soak-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { server } = await startTortured({ binary: BINARY, dataDir })
  if (!server) throw new Error('it ended without a plan')
  onTestFinished(() => server.kill())
  const notes = new WebhookNotes()
  onTestFinished(() => notes.close())
  const [keys] = server.accounts
  const url = await notes.open()
  await server.control('POST', `/accounts/${keys?.id}/webhook-endpoints`, { url })

  const mix = new Mix(server, new Chance(SEED))
  const underWay = new Set<Promise<void>>()
  let failure: unknown
  let sent = 0
  const send = () => {
    const request = mix.one(sent++).catch(cause => {
      failure ??= cause
    })
    underWay.add(request)
    void request.finally(() => underWay.delete(request))
  }
  const began = performance.now()
  /** After a fifth of the time, everything that is made once is there. */
  let warm: { memory: number; records: number; handles: number } | undefined
  for (;;) {
    const elapsed = (performance.now() - began) / 1000
    if (elapsed > seconds || failure) break
    if (!warm && elapsed > seconds / 5)
      warm = { records: mix.records, handles: handlesOf(server.pid), memory: await server.memory() }
    // A machine that is too slow for the rate gets what it can carry; the rate that it had is reported.
    while (sent < elapsed * A_SECOND && mix.open < MOST_AT_ONCE) send()
    await new Promise(resolve => setTimeout(resolve, EVERY_MS))
  }
  const took = (performance.now() - began) / 1000
  await Promise.all(underWay)
  if (failure) throw failure
  const grown = (await server.memory()) - (warm?.memory ?? 0)
  const records = mix.records - (warm?.records ?? 0)
  // The webhooks that are still on their way have their own handles.
  const handles = handlesOf(server.pid) - (warm?.handles ?? 0)
  expect(grown, `${records} records`).toBeLessThan(SLACK_BYTES + records * MOST_BYTES_A_RECORD)
  expect(handles).toBeLessThan(MOST_AT_ONCE)
  expect(notes.wrong).toEqual([])
  expect(notes.deliveries).toBeGreaterThan(0)
  expect(server.stderr()).not.toMatch(/Warning/)
  const sorted = mix.times.sort((a, b) => a - b)
  tally.add('requests', sent)
  tally.add('requests a second', Math.round(sent / took))
  tally.add('p99 in ms', Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0))
  tally.add('p50 in ms', Math.round(sorted[Math.floor(sorted.length * 0.5)] ?? 0))
  tally.add('payments', mix.records)
  tally.add('deliveries', notes.deliveries)
  tally.add('memory grown, in MB', Math.round(grown / 1e6))
  tally.add('memory at the end, in MB', Math.round(heldBy(server.pid) / 1e6))
  tally.add('handles grown', handles)
  expect(await server.stop()).toBe(0)
  tally.write()
})
