import { describe, expect, test } from 'vitest'
import { homeOf } from '../../../src/engine/postgres/spread.ts'
import type { HoldingListener } from '../../../src/engine/store/holders.ts'
import { addressOf, openStore } from '../../support/engine/database-stores.ts'
import { workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

const why = whyNoPostgres()
if (why !== undefined) console.log(`skipped: how merchants spread, because ${why}`)

const PATIENT = () => AbortSignal.timeout(30_000)
const peer = (port: number) => ({ id: String(port), address: `http://10.0.0.1:${port}` })
const MERCHANTS = Array.from({ length: 6000 }, (_, nth) => `merchant-${nth + 1}`)
const LISTENER: HoldingListener = {
  lost: () => {},
  due: () => {},
  prepareToGive: async () => {},
  isMaking: () => false,
  mayGive: () => true,
  give: async () => {},
}

test('merchants spread evenly, and only those of a process that comes or goes move', () => {
  const three = [7301, 7302, 7303].map(peer)
  const four = [...three, peer(7304)]
  const of = (peers: typeof three) => MERCHANTS.map(name => homeOf(name, peers)?.id)
  const [before, after] = [of(three), of(four)]
  for (const { id } of three) {
    const share = before.filter(home => home === id).length
    expect(share).toBeGreaterThan(1800)
    expect(share).toBeLessThan(2200)
  }
  const moved = MERCHANTS.filter((_, nth) => before[nth] !== after[nth])
  expect(moved.length).toBe(after.filter(home => home === '7304').length)
  expect(moved.length).toBeGreaterThan(1300)
  expect(moved.length).toBeLessThan(1700)
  expect(homeOf('merchant-1', [])).toBeUndefined()
})

/** One process with its own time, which holds 30 merchants when the next one comes. */
async function aProcessThatIsJoined() {
  const postgres = await workerPostgres()
  const url = await postgres.newDatabase()
  let aheadMs = 0
  const one = await openStore(url, { monotonic: () => performance.now() + aheadMs })
  const merchants = Array.from({ length: 30 }, (_, nth) => `m${nth}`)
  const given: string[] = []
  const busy = new Set<string>()
  one.holders.watch({
    ...LISTENER,
    mayGive: merchant => !busy.has(merchant),
    give: async merchant => void given.push(merchant),
  })
  for (const merchant of merchants) await one.holders.hold(merchant, PATIENT())
  const other = await openStore(url)
  const home = { one: addressOf(one), other: addressOf(other) }
  const peers = Object.entries(home).map(([id, address]) => ({ id, address }))
  const foreign = merchants.filter(name => homeOf(name, peers)?.id === 'other')
  /** Time goes on for the process that gives. */
  const pass = async (ms: number) => {
    aheadMs += ms
    await one.holders.spread()
  }
  /** A call that began later than any time that this process will see, unless the merchant is given meanwhile. */
  const call = async (merchant: string) => {
    const call = { startedAt: Number.MAX_SAFE_INTEGER }
    await expect.poll(() => one.holders.beginCall(merchant, call) || given.includes(merchant)).toBe(true)
    one.holders.endCall(merchant, call)
  }
  const heldByOne = () => merchants.filter(name => one.holders.mayAnswer(name))
  const sql = (text: string) =>
    postgres.query(new URL(url).pathname.slice(1), `SET search_path = paysim; ${text}`)
  return { one, other, merchants, foreign, given, busy, pass, call, heldByOne, sql }
}

describe.skipIf(why !== undefined)('merchants of processes that join', () => {
  test('move to the process they belong to, once, and a few at a time', async () => {
    const { one, other, merchants, foreign, given, pass, heldByOne } = await aProcessThatIsJoined()
    expect(foreign.length).toBeGreaterThan(8)
    await one.holders.spread()
    expect(given).toEqual([])
    const steps: number[] = []
    await expect
      .poll(async () => {
        await pass(5000)
        steps.push(given.length)
        return given.length
      })
      .toBe(foreign.length)
    expect(given.toSorted()).toEqual(foreign.toSorted())
    // A look of the lease's own may have come between.
    for (const [nth, step] of steps.entries()) expect(step - (steps[nth - 1] ?? 0)).toBeLessThanOrEqual(16)
    // The last of them is noted a moment after it was given.
    await expect.poll(() => one.holders.counts.moves).toBe(foreign.length)
    // Nobody holds them until a call comes, and then the one that they belong to does.
    for (const name of foreign) {
      expect(await one.holders.remoteHolder(name, PATIENT())).toBe(addressOf(other))
      expect(await other.holders.remoteHolder(name, PATIENT())).toBeUndefined()
      expect(other.holders.holding(name)?.wallMs).toBeGreaterThan(Date.now() - 60_000)
    }
    await pass(60_000)
    await expect.poll(heldByOne).toEqual(merchants.filter(name => !foreign.includes(name)))
    expect(other.holders.counts.moves).toBe(0)
  })

  test('stay where they belong when their process gets another number after a lost lease', async () => {
    const { one, given, foreign, merchants, pass, sql } = await aProcessThatIsJoined()
    await expect
      .poll(async () => {
        await pass(5000)
        return given.length
      })
      .toBe(foreign.length)
    await sql('UPDATE processes SET ended = true WHERE id = (SELECT min(id) FROM processes)')
    await expect.poll(() => sql('SELECT count(*) FROM processes WHERE NOT ended')).toBe('2')
    const own = merchants.filter(name => !foreign.includes(name))
    for (const name of own) await expect.poll(() => one.holders.hold(name, PATIENT())).toBeUndefined()
    for (let passedMs = 0; passedMs < 100_000; passedMs += 10_000) await pass(10_000)
    expect(given.filter(name => own.includes(name))).toEqual([])
    await expect.poll(() => own.filter(name => !one.holders.mayAnswer(name))).toEqual([])
  })

  test('stay while a call or other work of theirs is in progress', async () => {
    const { one, foreign, given, busy, pass } = await aProcessThatIsJoined()
    const [called = '', working = '', ...others] = foreign
    busy.add(working)
    // A call as long as an advance: it began long ago.
    const call = { startedAt: 0 }
    await expect.poll(() => one.holders.beginCall(called, call)).toBe(true)
    await expect
      .poll(async () => {
        await pass(5000)
        return given.length
      })
      .toBe(others.length)
    expect(given).not.toContain(called)
    expect(given).not.toContain(working)
    one.holders.endCall(called, call)
    busy.clear()
    await expect
      .poll(async () => {
        await pass(31_000)
        return given.toSorted()
      })
      .toEqual(foreign.toSorted())
  })

  test('are answered by the next holder if a call arrives while they move', async () => {
    const { one, other, foreign, pass } = await aProcessThatIsJoined()
    const [moving = ''] = foreign
    let close: () => void = () => {}
    let isClosing = false
    one.holders.watch({
      ...LISTENER,
      mayGive: merchant => merchant === moving,
      give: async () => {
        isClosing = true
        await new Promise<void>(resolve => {
          close = resolve
        })
      },
    })
    await expect
      .poll(() => {
        void pass(5000)
        return isClosing
      })
      .toBe(true)
    expect(one.holders.beginCall(moving, { startedAt: performance.now() })).toBe(false)
    const asked = one.holders.remoteHolder(moving, PATIENT())
    close()
    expect(await asked).toBe(addressOf(other))
  })

  test('move although calls arrive if the next process came before the first look at the list', async () => {
    const { foreign, given, pass, call } = await aProcessThatIsJoined()
    for (let passedMs = 0; passedMs < 60_000; passedMs += 5000) {
      await pass(5000)
      for (const name of foreign) await call(name)
    }
    expect(given.toSorted()).toEqual(foreign.toSorted())
  })

  test('stay where they were created as long as calls arrive', async () => {
    const { one, given, pass, call, merchants, foreign } = await aProcessThatIsJoined()
    await expect
      .poll(async () => {
        await pass(5000)
        return given.length
      })
      .toBe(foreign.length)
    // Made after the list has changed, at a process that they do not belong to.
    const peersOf = (name: string) => one.holders.remoteHolder(name, PATIENT())
    const made: string[] = []
    for (let nth = 0; made.length < 2; nth++)
      if ((await peersOf(`made${nth}`)) !== undefined) made.push(`made${nth}`)
    const [called = '', quiet = ''] = made
    for (const name of made) expect(await one.holders.hold(name, PATIENT())).toBeUndefined()
    let passedMs = 0
    while (passedMs < 100_000) {
      await pass(10_000)
      passedMs += 10_000
      await call(called)
    }
    await expect.poll(() => given).toContain(quiet)
    expect(given).not.toContain(called)
    expect(merchants).not.toContain(called)
  })
})
