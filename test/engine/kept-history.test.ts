import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { StartError } from '../../src/engine/start-error.ts'
import { accountOnDisk, fillWith } from '../support/engine/account-on-disk.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { dump } from '../support/model/world-dump.ts'

const HOUR = 3_600_000
const T0 = Date.UTC(2026, 0, 1)

const filesIn = async (past: string, start: string) =>
  (await readdir(past)).filter(name => name.startsWith(start) && name.endsWith('.jsonl')).sort()

/** An account with closed segments that were last written long ago. */
async function withOldSegments() {
  const folder = await temporaryDirectory()
  const past = join(folder, 'past-1')
  const filled = await accountOnDisk(folder)
  const ids = await fillWith(filled, 22)
  await filled.account.close()
  for (const name of await filesIn(past, 'journal-')) await utimes(join(past, name), T0 / 1000, T0 / 1000)
  return { folder, past, ids }
}

/** Opens it, and fills it until it wrote another checkpoint. */
async function goOn(folder: string, forMs: number | undefined, wall = T0 + 2 * HOUR) {
  const history = forMs === undefined ? undefined : { forMs, wall: () => wall }
  const opened = await accountOnDisk(folder, { history })
  await fillWith(opened, 5)
  return opened
}

describe('closed segments', () => {
  test('are kept without a limit', async () => {
    const { folder, past } = await withOldSegments()
    const before = await filesIn(past, 'journal-')
    const { account, journal } = await goOn(folder, undefined)
    expect(await filesIn(past, 'journal-')).toEqual(expect.arrayContaining(before))
    expect(journal.keptFrom).toBe(1)
    await account.close()
  })

  test('are kept as long as they are young', async () => {
    const { folder, past } = await withOldSegments()
    const before = await filesIn(past, 'journal-')
    const { account, journal } = await goOn(folder, 3 * HOUR)
    expect(await filesIn(past, 'journal-')).toEqual(expect.arrayContaining(before))
    expect(journal.keptFrom).toBe(1)
    await account.close()
  })

  test('are removed at a checkpoint when they are old, and the state and later history stay', async () => {
    const { folder, past, ids } = await withOldSegments()
    const [oldest = ''] = await filesIn(past, 'journal-')
    const opened = await goOn(folder, HOUR)
    expect(await filesIn(past, 'journal-')).not.toContain(oldest)
    const { account, journal } = opened
    expect(journal.keptFrom).toBeGreaterThan(1)
    expect(await journal.history(ids[0] ?? '')).toEqual([])
    const [last = ''] = await fillWith(opened, 1)
    expect(await journal.history(last)).toHaveLength(1)
    expect(account.world.payments.has(ids[0] ?? '')).toBe(true)
    const world = dump(account.world)
    await account.close()
    const again = await accountOnDisk(folder)
    expect(dump(again.account.world)).toEqual(world)
    expect(again.warnings).toEqual([])
    expect(again.journal.keptFrom).toBe(journal.keptFrom)
    await again.account.close()
  })

  test('are never removed before a checkpoint covers them', async () => {
    const { folder, past } = await withOldSegments()
    const before = await filesIn(past, 'journal-')
    const { account, journal } = await accountOnDisk(folder, { history: { forMs: 0, wall: () => T0 + HOUR } })
    await journal.trim(0)
    expect(await filesIn(past, 'journal-')).toEqual(before)
    await account.close()
  })
})

test('a damaged checkpoint without old entries stops the start, and removes nothing', async () => {
  const { folder, past } = await withOldSegments()
  const { account } = await goOn(folder, HOUR)
  const world = dump(account.world)
  await account.close()
  const path = join(past, 'checkpoint.json')
  const whole = await readFile(path, 'utf8')
  await writeFile(path, whole.replace('"seq"', '"sqe"'))
  const before = await readdir(past)
  const refused = accountOnDisk(folder)
  await expect(refused).rejects.toThrow(StartError)
  await expect(refused).rejects.toThrow(
    /entries 1 to \d+ are missing, and no checkpoint that can be read has them/,
  )
  expect(await readdir(past)).toEqual(before)
  await writeFile(path, whole)
  const restored = await accountOnDisk(folder)
  expect(dump(restored.account.world)).toEqual(world)
  await restored.account.close()
})

test('a gap between two segments is named when the history is read', async () => {
  const { folder, past, ids } = await withOldSegments()
  const [, second = ''] = await filesIn(past, 'journal-')
  await rm(join(past, second))
  const { account, journal } = await accountOnDisk(folder)
  await expect(journal.history(ids[0] ?? '')).rejects.toThrow(/the journal's entries \d+ to \d+ are missing/)
  await account.close()
})
