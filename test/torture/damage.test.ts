import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ChangeFile } from '../../src/engine/store/change-log.ts'
import { Registry } from '../../src/engine/store/registry.ts'
import { DamagedError, StartError } from '../../src/engine/store/store-errors.ts'
import { type Files, filesIn, putBack } from '../support/disk/folder-contents.ts'
import { accountOnDisk, fillWith } from '../support/engine/account-on-disk.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { Chance } from '../support/fuzz/chance.ts'
import { ownServer } from '../support/gateway/shared-server.ts'
import { dump } from '../support/model/world-dump.ts'
import { FIRST, isRepeat, repeatWith, SEED, shareMs, Tally, TIMEOUT_MS } from '../support/torture/tally.ts'

/**
 * Each file of an account, and the list of merchants, is cut or flipped at a byte. The account is then the same, or
 * refused by name; or its last entries are missing, and a message says so.
 */

/** The least number of damaged bytes, even if the time is short. */
const FEWEST = 24

interface Damage {
  readonly name: string
  readonly at: number
  /** The bit that is flipped; undefined if the file ends there. */
  readonly bit: number | undefined
}

/** Flips or cuts every byte of every file, in a random order, because the time may not be enough for all. */
function* damages(files: Files, chance: Chance): Generator<Damage> {
  const sizes = [...files].map(([name, { length }]) => ({ name, length }))
  const total = sizes.reduce((sum, { length }) => sum + length, 0)
  // A step without a divisor in common with the number of bytes visits each of them once.
  const step = coprime(Math.floor(total * 0.618), total)
  for (let round = 0; ; round++)
    for (let nth = 0, place = chance.below(total); nth < total; nth++, place = (place + step) % total) {
      let at = place
      const file = sizes.find(({ length }) => {
        if (at < length) return true
        at -= length
        return false
      })
      // A second round flips what the first one cut, and the other way round.
      if (file) yield { name: file.name, at, bit: (nth + round) % 2 ? chance.below(8) : undefined }
    }
}

function coprime(from: number, total: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))
  let step = Math.max(1, from)
  while (divisor(step, total) !== 1) step++
  return step
}

function damaged(bytes: Buffer, { at, bit }: Damage): Buffer {
  if (bit === undefined) return bytes.subarray(0, at)
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ (1 << bit)
  return copy
}

/**
 * A file that ends between two lines, or only without its last line feed, is as it was at an earlier moment. What else is
 * in the folder contradicts it.
 */
const isBetweenLines = (files: Files, { name, at, bit }: Damage) => {
  const bytes = files.get(name)
  return bit === undefined && (at === 0 || bytes?.[at - 1] === 0x0a || bytes?.[at] === 0x0a)
}

async function harm(
  part: string,
  share: number,
  files: Files,
  folder: string,
  open: (damage: Damage) => Promise<'same' | 'shorter'>,
): Promise<void> {
  const tally = new Tally(part)
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0)
  let plan = 0
  for (const damage of damages(files, new Chance(SEED))) {
    if (plan++ < FIRST) continue
    putBack(folder, files)
    writeFileSync(damage.name, damaged(files.get(damage.name) ?? Buffer.alloc(0), damage))
    try {
      tally.add(await open(damage))
    } catch (cause) {
      if (!(cause instanceof StartError || cause instanceof DamagedError))
        throw new Error(
          `${damage.name}, byte ${damage.at}, bit ${damage.bit}; ${repeatWith(part, plan - 1)}`,
          {
            cause,
          },
        )
      tally.add('refused by name')
    }
    tally.add(damage.bit === undefined ? 'cuts' : 'flips')
    // Then each byte was flipped once, and the file cut before it once.
    const isComplete = plan === 2 * bytes
    if (isRepeat || isComplete || (plan > FEWEST && tally.elapsedMs > shareMs(share))) break
  }
  tally.add('bytes', bytes)
  if (!isRepeat) expect(Math.min(tally.count('cuts'), tally.count('flips'))).toBeGreaterThan(0)
  tally.write()
}

test('damage to an account is detected or has no effect', { timeout: TIMEOUT_MS }, async () => {
  const folder = await temporaryDirectory()
  const filled = await accountOnDisk(folder)
  /** The world after each entry. */
  const worlds = new Map([[0, dump(filled.account.world)]])
  for (let nth = 0; nth < 11; nth++) {
    await fillWith(filled, 1)
    worlds.set(filled.account.world.seq, dump(filled.account.world))
  }
  const last = filled.account.world.seq
  await filled.account.close()
  const files = filesIn(folder)
  await harm('account-files', 0.06, files, folder, async damage => {
    const { account, warnings } = await accountOnDisk(folder)
    try {
      const { seq } = account.world
      expect(dump(account.world)).toEqual(worlds.get(seq))
      if (seq === last) return 'same'
      // Only what could be a torn last line may be missing, and never without a message.
      expect(damage.name).toMatch(/\/journal\.jsonl$/)
      expect(warnings.length > 0 || isBetweenLines(files, damage)).toBe(true)
      return 'shorter'
    } finally {
      await account.close()
    }
  })
})

test('damage to the list of merchants is detected or has no effect', { timeout: TIMEOUT_MS }, async () => {
  const server = await ownServer()
  for (let nth = 0; nth < 2; nth++) await server.merchant()
  await server.stop()
  const folder = await temporaryDirectory()
  const path = join(folder, 'merchants.jsonl')
  writeFileSync(path, readFileSync(join(server.dataDir, 'merchants.jsonl')), { mode: 0o600 })
  const open = async () => {
    const warnings: string[] = []
    const registry = await Registry.open(
      new ChangeFile({ path, sync: false, warn: message => warnings.push(message) }),
    )
    const { merchants, lastPort } = registry
    await registry.close()
    return { merchants, lastPort, warnings }
  }
  const whole = await open()
  const files = filesIn(folder)
  await harm('merchants-file', 0.02, files, folder, async damage => {
    const { merchants, lastPort, warnings } = await open()
    const isSame = JSON.stringify([merchants, lastPort]) === JSON.stringify([whole.merchants, whole.lastPort])
    if (!isSame || warnings.length > 0) {
      expect(warnings.length > 0 || isBetweenLines(files, damage)).toBe(true)
      for (const [nth, merchant] of merchants.entries()) expect(merchant).toEqual(whole.merchants[nth])
      return 'shorter'
    }
    return 'same'
  })
})
