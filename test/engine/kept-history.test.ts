import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Journal } from '../../src/engine/journal/journal.ts'
import { StartError } from '../../src/engine/store/store-errors.ts'
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

async function linesOf(journal: Journal): Promise<string[]> {
  const lines: string[] = []
  for await (const line of journal.lines()) lines.push(line)
  return lines
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

  test('are kept until they reach the age limit', async () => {
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

describe('a segment that was lost', () => {
  test.each(['first', 'last'] as const)('is named when the history is read: the %s one', async which => {
    const { folder, past, ids } = await withOldSegments()
    const segments = await filesIn(past, 'journal-')
    const lost = (which === 'first' ? segments[0] : segments.at(-1)) ?? ''
    await rm(join(past, lost))
    const { account, journal } = await accountOnDisk(folder)
    expect(journal.keptFrom).toBe(1)
    await expect(journal.history(ids[0] ?? '')).rejects.toThrow(
      /the journal's entries \d+ to \d+ are missing/,
    )
    await account.close()
  })

  test('is not taken for one that was removed for its age', async () => {
    const { folder, past, ids } = await withOldSegments()
    const { account } = await goOn(folder, HOUR)
    await account.close()
    const [kept = ''] = await filesIn(past, 'journal-')
    await rm(join(past, kept))
    const again = await accountOnDisk(folder, { history: { forMs: HOUR, wall: () => T0 } })
    const { keptFrom } = again.journal
    expect(kept).toContain(`-${String(keptFrom).padStart(12, '0')}-`)
    await expect(again.journal.history(ids[0] ?? '')).rejects.toThrow(`entries ${keptFrom} to `)
    await again.account.close()
  })

  test('in part, at the end of a line, is named', async () => {
    const { folder, past, ids } = await withOldSegments()
    const [first = ''] = await filesIn(past, 'journal-')
    const path = join(past, first)
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    await writeFile(path, `${lines.slice(0, -1).join('\n')}\n`)
    const { account, journal } = await accountOnDisk(folder)
    await expect(journal.history(ids[0] ?? '')).rejects.toThrow(`${path} is damaged`)
    await account.close()
  })
})

test('a segment that is still there, because a crash interrupted its removal, is read', async () => {
  const { folder, past } = await withOldSegments()
  const before = await filesIn(past, 'journal-')
  const bytes = await Promise.all(before.map(name => readFile(join(past, name))))
  await (await goOn(folder, HOUR)).account.close()
  const [mark = ''] = (await readdir(past)).filter(name => name.startsWith('removed-'))
  const nth = before.findIndex(name => name.endsWith(`${mark.replace('removed', '')}.jsonl`))
  const name = before[nth] ?? ''
  await writeFile(join(past, name), bytes[nth] ?? '', { mode: 0o600 })
  const { account, journal } = await accountOnDisk(folder)
  const from = Number(name.split('-')[1])
  expect(journal.keptFrom).toBe(from)
  const [first = ''] = await linesOf(journal)
  expect(JSON.parse(first).seq).toBe(from)
  await account.close()
})
