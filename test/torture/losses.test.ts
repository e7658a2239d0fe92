import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Account } from '../../src/engine/account/account.ts'
import { DataDirectory } from '../../src/engine/store/data-directory.ts'
import { digestOf } from '../../src/engine/store/image-store.ts'
import { drawMerchant } from '../../src/engine/store/new-merchant.ts'
import type { AccountStore } from '../../src/engine/store/store.ts'
import { DamagedError, StartError } from '../../src/engine/store/store-errors.ts'
import { type Files, filesIn, putBack } from '../support/disk/folder-contents.ts'
import { anAccountWithoutJournal, createPayment } from '../support/engine/accounts.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { Chance } from '../support/fuzz/chance.ts'
import { dump } from '../support/model/world-dump.ts'
import { FIRST, isRepeat, repeatWith, SEED, shareMs, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'

/**
 * Each file of a data directory is deleted, cut or zeroed, after a clean stop and after a kill. A start then has the same
 * state, or it names what is lost. Whatever happens, no id is given twice, also when the loss is accepted.
 */

/** The least number of plans, even if the time is short. */
const FEWEST = 15
const ID = 'acme.test'
const HARMS = ['delete', 'cut', 'zero'] as const
const IMAGES = ['one', 'two', 'three'].map(text => Buffer.from(text.repeat(400)))

interface Opened {
  readonly account: Account
  readonly kept: AccountStore
  readonly warnings: string[]
  readonly close: () => Promise<void>
}

async function claim(path: string) {
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const store = await DataDirectory.claim(path, {
    sync: false,
    wall: Date.now,
    warn,
    every: 4,
    segmentBytes: 3000,
  })
  return { store, warnings }
}

/** Opens the account as a start does. */
async function start(path: string, accept = false): Promise<Opened> {
  const { store, warnings } = await claim(path)
  try {
    const registry = await store.openRegistry()
    try {
      if (accept) await store.acceptLoss(ID)
      const account = anAccountWithoutJournal(undefined, ID)
      const kept = await store.openAccount(account)
      if (kept.journal.seed !== undefined) account.reseed(kept.journal.seed)
      account.open(kept.journal, 0, kept.checkpoints)
      if (registry.find('acme') === undefined) await registry.add(drawMerchant('acme', {}, null))
      const close = async () => {
        await account.close()
        await registry.close()
        await store.release()
      }
      return { account, kept, warnings, close }
    } catch (cause) {
      await registry.close()
      throw cause
    }
  } catch (cause) {
    await store.release()
    throw cause
  }
}

async function pay({ account, kept }: Opened, payments: number): Promise<string[]> {
  const ids: string[] = []
  for (let nth = 0; nth < payments; nth++) {
    ids.push(createPayment(account))
    await kept.journal.durable(account.world.seq)
    await kept.checkpoints?.idle()
  }
  return ids
}

function harmed(path: string, how: (typeof HARMS)[number], at: number): void {
  if (how === 'delete') return rmSync(path)
  const bytes = readFileSync(path)
  writeFileSync(path, how === 'cut' ? bytes.subarray(0, at) : bytes.fill(0, at))
}

/** What is read of an account when everything of it is read; throws by name where something is not there. */
async function everything({ account, kept }: Opened) {
  const world = dump(account.world)
  let entries = 0
  for await (const _ of kept.journal.lines()) entries++
  const images = await Promise.all(IMAGES.map(image => kept.images.get(digestOf(image))))
  return { world, entries, images: images.filter(image => image !== undefined).length }
}

const names = (texts: readonly string[], path: string) =>
  texts.some(text => text.includes(basename(path)) || text.includes(basename(dirname(path))))

test.each(['stop', 'kill'] as const)(
  'losses after a %s are said, and no id is given twice',
  {
    timeout: TIMEOUT_MS,
  },
  async before => {
    const folder = join(await temporaryDirectory(), 'data')
    const first = await start(folder)
    const given = new Set(await pay(first, 12))
    for (const image of IMAGES) await first.kept.images.put(digestOf(image), [image])
    await first.close()
    const second = await start(folder)
    for (const id of await pay(second, 7)) given.add(id)
    const extra = Buffer.from('of the second run')
    await second.kept.images.put(digestOf(extra), [extra])
    const whole = await everything(second)
    // The lock is held by this very process.
    const killed: Files = new Map([...filesIn(folder)].filter(([path]) => !basename(path).startsWith('lock')))
    await second.close()
    const files = before === 'kill' ? killed : filesIn(folder)
    const paths = [...files.keys()].filter(path => !/^(lock|\.gitignore|server\.json)/.test(basename(path)))

    const part = `losses-after-${before}`
    const tally = new Tally(part)
    const chance = new Chance(SEED)
    for (let plan = 0; ; plan++) {
      const path = paths[plan % paths.length] ?? ''
      const how = HARMS[(plan + Math.floor(plan / paths.length)) % HARMS.length] ?? 'delete'
      const length = files.get(path)?.length ?? 0
      // The first cut and zero of each file are of all of it.
      const at = plan < 3 * paths.length ? 0 : chance.below(Math.max(1, length))
      if (plan < FIRST) continue
      putBack(folder, files)
      try {
        harmed(path, how, at)
        tally.add('tries')
        tally.add(how)
        const outcome = await opened(path)
        tally.add(outcome)
      } catch (cause) {
        throw new Error(`${how} ${path} from byte ${at}; ${repeatWith(part, plan)}`, { cause })
      }
      if (isRepeat || (plan > FEWEST && tally.elapsedMs > shareMs(0.03))) break
    }
    tally.write()

    async function opened(path: string): Promise<string> {
      let outcome: string
      let server: Opened
      try {
        server = await start(folder)
        outcome = await judged(server, path)
      } catch (cause) {
        if (!(cause instanceof StartError)) throw cause
        expect(names([cause.message], path), cause.message).toBe(true)
        // The list of merchants is restored; there is no account without it.
        if (!cause.message.includes('accept-loss') || basename(path) === 'merchants.jsonl')
          return 'refused by name'
        server = await start(folder, true)
        outcome = 'refused by name, then accepted'
      }
      try {
        for (const id of await pay(server, 3)) if (given.has(id)) throw new Error(`${id} is given twice`)
      } catch (cause) {
        if (!(cause instanceof DamagedError)) throw cause
        expect(names([cause.message], path), cause.message).toBe(true)
      } finally {
        await server.close()
      }
      return outcome
    }

    async function judged(server: Opened, path: string): Promise<string> {
      try {
        const found = await everything(server)
        const isSame = JSON.stringify(found) === JSON.stringify(whole)
        if (isSame) return 'same'
        if (names(server.warnings, path)) return 'said at the start'
        // After a kill, nobody knows what was last in a file to which more is appended.
        expect([before, basename(path)]).toEqual([
          'kill',
          expect.stringMatching(/^(journal\.jsonl|pack-\d+|merchants\.jsonl)$/),
        ])
        return 'unknown after a kill'
      } catch (cause) {
        if (!(cause instanceof DamagedError)) throw cause
        expect(names([cause.message], path), cause.message).toBe(true)
        return 'said when it was read'
      }
    }
  },
)
