import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSmallDisk, whyNoSmallDisk } from '../support/disk/small-disk.ts'
import { Chance } from '../support/fuzz/chance.ts'
import { archiveOf } from '../support/gateway/archive.ts'
import type { Json } from '../support/gateway/merchant.ts'
import { paymentBody } from '../support/payments/payments.ts'
import { Merchants } from '../support/torture/merchants.ts'
import { Orders } from '../support/torture/orders.ts'
import { buildWithSmallHistory } from '../support/torture/small-history.ts'
import { FIRST, isRepeat, repeatWith, SEED, shareMs, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'
import { startTortured, type TortureServer, toldIn } from '../support/torture/torture-server.ts'

/** While the disk fails, 503 says that nothing was changed, and that is true: now, and after the next start. */

const ROUNDS = 6
const CLIENTS = 6
const NOBODY = 'http://127.0.0.1:9/hook'
const reason = whyNoSmallDisk()
if (reason !== undefined) console.warn(`A disk that is really full is not tested here: ${reason}`)

let built: Awaited<ReturnType<typeof buildWithSmallHistory>>
beforeAll(async () => {
  built = await buildWithSmallHistory()
})
afterAll(() => built.remove())

interface Disk {
  readonly dataDir: string
  fail(server: TortureServer, chance: Chance): Promise<unknown>
  mend(server: TortureServer): Promise<unknown>
  remove(): Promise<void>
}

async function failingCalls(): Promise<Disk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'paysim-torture-'))
  return {
    dataDir,
    fail: (server, chance) => {
      const withReads = chance.is(0.4)
      const code = chance.of(['ENOSPC', 'EIO', withReads ? 'EMFILE' : 'EROFS'])
      const times = chance.of([1, 1, 2, 5, 1_000_000])
      return server.plan({ nth: 1 + chance.below(60), then: 'fail', code, times, withReads })
    },
    mend: server => server.plan(null),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  }
}

async function smallDisk(): Promise<Disk> {
  const disk = openSmallDisk()
  return {
    dataDir: disk.dataDir,
    fail: async () => disk.fill(),
    mend: async () => disk.empty(),
    remove: async () => {},
  }
}

/** Rounds in which the disk fails and works again, on one data directory. */
async function runDisk(disk: Disk, chance: Chance, tally: Tally): Promise<void> {
  const start = async () => {
    const { server } = await startTortured({ binary: built.binary, dataDir: disk.dataDir })
    if (!server) throw new Error('it ended without a plan')
    return server
  }
  let server = await start()
  try {
    const keys = server.accounts.find(({ id }) => id === 'default.test')
    if (!keys) throw new Error('no default.test')
    const orders = new Orders(keys.id, keys)
    const merchants = new Merchants(NOBODY)
    const check = async () => {
      await orders.check(server, chance)
      await merchants.check(server)
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (let nth = 0; nth < 3; nth++) await merchants.step(server, chance)
      await orders.step(server, chance)
      await disk.fail(server, chance)
      orders.mayRefuse = true
      const who = chance.of(['orders', 'merchants'])
      if (who === 'merchants') for (let nth = 0; nth < 4; nth++) await merchants.step(server, chance)
      else
        await Promise.all(
          Array.from({ length: CLIENTS }, async () => {
            for (let nth = 0; nth < 4; nth++) await orders.step(server, chance)
          }),
        )
      // Some restarts find the disk as it was left by the failure.
      if (chance.is(0.5)) await disk.mend(server)
      else {
        await server.kill()
        await disk.mend(server)
        server = await start()
      }
      orders.mayRefuse = false
      tally.add('failures')
      await check()
      if (chance.is(0.3)) {
        await server.kill()
        server = await start()
        await check()
      }
    }
    tally.add('refused payments', orders.refused)
    tally.add('refused changes of merchants', merchants.refused)
    tally.add('changes in doubt', merchants.inDoubt)
  } catch (cause) {
    throw new Error(`the server said:\n${server.stderr()}`, { cause })
  } finally {
    await server.kill()
    await disk.remove()
  }
}

describe('a refused change has no effect', () => {
  test.each([
    ['failing-calls', failingCalls, 0.05, true],
    ['full-disk', smallDisk, 0.02, reason === undefined],
  ] as const)('%s', { timeout: TIMEOUT_MS }, async (part, open, share, isPossible) => {
    if (!isPossible) return
    const tally = new Tally(part)
    let plan = FIRST
    do {
      try {
        await runDisk(await open(), new Chance(SEED * 2_654_435_761 + plan), tally)
      } catch (cause) {
        throw new Error(repeatWith(part, plan), { cause })
      }
      plan++
    } while (!isRepeat && tally.elapsedMs < shareMs(share))
    expect(tally.count('failures')).toBeGreaterThanOrEqual(ROUNDS)
    tally.write()
  })
})

/** Starts a server on a new directory, again and again. */
async function newDirectory(): Promise<() => Promise<TortureServer>> {
  const disk = await failingCalls()
  onTestFinished(() => disk.remove())
  return async () => {
    const { server } = await startTortured({ binary: built.binary, dataDir: disk.dataDir })
    if (!server) throw new Error('it ended without a plan')
    onTestFinished(() => server.kill())
    return server
  }
}

/** A payment of the first account. */
async function paymentAt(server: TortureServer) {
  const [keys] = server.accounts
  if (!keys) throw new Error('no account')
  const created = await server.call(keys, 'POST', '/payment_intents', { body: paymentBody() })
  return { keys, id: created?.body.id, text: created?.text }
}

test.each(['ENOSPC', 'EIO', 'EROFS'])('a change refused over %s says so', async code => {
  const start = await newDirectory()
  const server = await start()
  const { keys } = await paymentAt(server)
  await server.plan({ nth: 1, then: 'fail', code })
  const refused = await server.call(keys, 'POST', '/payment_intents', { body: paymentBody() })
  expect(refused?.status).toBe(503)
  expect(refused?.body.message ?? refused?.text).toContain(
    `The journal cannot be written now (${code}: planned failure); nothing was changed`,
  )
})

test('each folder is synced after its first entries, and before the list names an account in it', async () => {
  const disk = await failingCalls()
  onTestFinished(() => disk.remove())
  const plan = { nth: 1, then: 'tell', times: 1_000_000 } as const
  const { server } = await startTortured({ binary: built.binary, dataDir: disk.dataDir, plan })
  onTestFinished(async () => await server?.kill())
  const calls = toldIn(server?.stderr() ?? '').map(call => call?.replace(disk.dataDir, 'DATA'))
  const syncedBetween = (folder: string, first: string, named: string) => {
    const after = calls.slice(calls.indexOf(first), calls.lastIndexOf(named))
    expect(after, `${folder} after ${first}:\n${calls.join('\n')}`).toContain(`sync ${folder}`)
  }
  const list = 'datasync DATA/merchants.jsonl'
  syncedBetween('DATA', 'mkdir DATA/accounts', list)
  syncedBetween('DATA', 'open DATA/merchants.jsonl', list)
  syncedBetween('DATA/accounts', 'mkdir DATA/accounts/default.test', list)
  syncedBetween('DATA/accounts/default.test', 'open DATA/accounts/default.test/journal.jsonl', list)
})

test('a read waiting for a failing write shows the last saved state', async () => {
  const start = await newDirectory()
  const server = await start()
  const { keys, id, text } = await paymentAt(server)
  await server.plan({ nth: 1, then: 'fail', isHeld: true })
  const succeeding = server.control('POST', `/accounts/${keys.id}/payments/${id}/succeed`, {})
  const reading = Array.from({ length: 20 }, () => server.call(keys, 'GET', `/payment_intents/${id}`))
  await server.control('GET', '/health')
  await server.plan(null)
  expect((await succeeding)?.status).toBe(503)
  for (const read of await Promise.all(reading)) expect(read).toMatchObject({ status: 200, text })
})

test.each(['the merchant', 'the control surface'])(
  'after a write of unknown outcome, a read by %s shows the same before and after a restart',
  async reader => {
    const start = await newDirectory()
    const server = await start()
    const { keys, id } = await paymentAt(server)
    const read = async (from: typeof server) => {
      const answer =
        reader === 'the merchant'
          ? await from.call(keys, 'GET', `/payment_intents/${id}`)
          : await from.control('GET', `/accounts/${keys.id}/payments/${id}`)
      expect(answer?.status).toBe(200)
      return answer?.body.status
    }
    // It is written, but neither synced nor taken back.
    await server.plan({ nth: 2, then: 'fail', times: 1_000_000 })
    const succeeding = await server.control('POST', `/accounts/${keys.id}/payments/${id}/succeed`, {})
    expect(succeeding).toMatchObject({ status: 503, text: expect.stringContaining('it is not known') })
    await server.plan(null)
    const shown = await read(server)
    await server.kill()
    expect(await read(await start())).toBe(shown)
  },
)

test.each([
  ['a reset', ['POST', '/accounts/default.test/reset', undefined], undefined],
  ['an import', ['PUT', '/accounts/default.test/import', archiveOf(3)], undefined],
  ['a creation', ['POST', '/merchants', { id: 'second' }], ['DELETE', '/merchants/second', undefined]],
  ['a removal', ['DELETE', '/merchants/acme', undefined], ['POST', '/merchants', { id: 'acme' }]],
] as const)(
  'whichever call of the disk fails during %s, it happens or is refused, and later payments survive a restart',
  { timeout: TIMEOUT_MS },
  async (_, change, undo) => {
    const start = await newDirectory()
    let server = await start()
    expect(await server.control('POST', '/merchants', { id: 'acme' })).toMatchObject({ status: 201 })
    const payments = async () => {
      const answer = await server.control('GET', '/accounts/default.test/payments?limit=1000')
      return answer?.body.data.map(({ id }: Json) => id)
    }
    const control = ([method, path, body]: readonly [string, string, unknown]) =>
      server.control(method, path, body)
    const checkRestart = async (what: string) => {
      const kept = await payments()
      await server.kill()
      server = await start()
      expect(await payments(), what).toEqual(kept)
    }
    let refusals = 0
    let calls = 0
    let nth = 0
    do {
      nth++
      await paymentAt(server)
      const before = await payments()
      await server.plan({ nth, then: 'fail', code: nth % 2 ? 'EMFILE' : 'EIO', withReads: true })
      const answer = await control(change)
      calls = await server.plan(null)
      const what = `call ${nth} failed: ${answer?.status} ${answer?.text.slice(0, 300)}\n${server.stderr()}`
      expect([200, 201, 204, 503], what).toContain(answer?.status)
      if (answer?.status === 503) {
        refusals++
        expect(answer.text, what).toContain('nothing was changed')
        expect(await payments(), what).toEqual(before)
      } else if (undo) expect([201, 204], what).toContain((await control(undo))?.status)
      expect(await paymentAt(server), what).toMatchObject({ id: expect.stringMatching(/^pi_/) })
      if (nth % 3 === 0) await checkRestart(what)
      // The last call is behind those of this change.
    } while (calls >= nth)
    await checkRestart('the last call')
    expect(refusals).toBeGreaterThan(0)
  },
)

test.each([
  ['a removal', 'DELETE', '/merchants/acme', undefined],
  ['a creation', 'POST', '/merchants', { id: 'second' }],
  ['a new name', 'PATCH', '/merchants/acme', { name: 'Another' }],
] as const)(
  'after %s of unknown outcome, the list of merchants is unchanged, even after a restart',
  async (_, method, path, body) => {
    const start = await newDirectory()
    const server = await start()
    expect(await server.control('POST', '/merchants', { id: 'acme' })).toMatchObject({ status: 201 })
    // The change is written to the list, but neither synced nor taken back.
    await server.plan({ nth: 2, from: 'merchants.jsonl', then: 'fail', times: 1_000_000 })
    const changed = await server.control(method, path, body)
    expect(changed).toMatchObject({ status: 503, text: expect.stringContaining('it is not known') })
    await server.plan(null)
    const listed = await server.control('GET', '/merchants')
    expect(listed?.body.data.map(({ id, name }: Json) => [id, name])).toEqual([
      ['default', 'Default'],
      ['acme', 'Acme'],
    ])
    await server.kill()
    expect((await (await start()).control('GET', '/merchants'))?.text).toBe(listed?.text)
  },
)
