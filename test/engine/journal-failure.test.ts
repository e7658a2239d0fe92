import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { writeLine } from '../../src/engine/journal/journal-format.ts'
import { UnavailableError } from '../../src/engine/store/store-errors.ts'
import { entriesTo, entryNumber } from '../support/engine/entries.ts'
import { failNext, journalInFile } from '../support/engine/journal-in-file.ts'

afterEach(() => vi.restoreAllMocks())

const textOf = (last: number) => entriesTo(last).map(writeLine).join('')

/** Two entries are safe; the third could not be kept. */
async function journalOnFullDisk(call: 'write' | 'datasync') {
  const given = await journalInFile()
  for (const entry of entriesTo(2)) given.journal.append(entry)
  await given.journal.durable(2)
  await failNext(call)
  given.journal.append(entryNumber(3))
  await expect(given.journal.durable(3)).rejects.toBeInstanceOf(UnavailableError)
  return given
}

describe.each(['write', 'datasync'] as const)('a %s that fails', call => {
  test('is reported to the owner once, and to every caller that waits', async () => {
    const { journal, told } = await journalInFile()
    await failNext(call)
    for (const entry of entriesTo(3)) journal.append(entry)
    const waits = await Promise.allSettled([1, 2, 3].map(seq => journal.durable(seq)))
    expect(waits.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(told.failures).toEqual([expect.objectContaining({ code: 'ENOSPC' })])
    await journal.close()
  })

  test('leaves no partial line after the rollback', async () => {
    const { journal, text } = await journalOnFullDisk(call)
    const safe: number[] = []
    await journal.rollBack(({ seq }) => safe.push(seq))
    expect(safe).toEqual([1, 2])
    expect(await text()).toBe(textOf(2))
    await journal.close()
  })

  test('keeps refusing until a retry succeeds, and then accepts entries with the same number', async () => {
    const { journal, text } = await journalOnFullDisk(call)
    await journal.rollBack(() => {})
    await expect(journal.durable(3)).rejects.toBeInstanceOf(UnavailableError)
    await failNext('datasync')
    await expect(journal.tryAgain()).rejects.toThrow('ENOSPC')
    expect(await text()).toBe(textOf(2))
    await expect(journal.durable(3)).rejects.toBeInstanceOf(UnavailableError)
    await journal.tryAgain()
    expect(await text()).toBe(textOf(2))
    journal.append(entryNumber(3))
    await journal.durable(3)
    expect(await text()).toBe(textOf(3))
    await journal.close()
  })

  test('is not in the history', async () => {
    const { journal } = await journalInFile()
    journal.append(entryNumber(1, 'ast_a'))
    expect(await journal.history('ast_a')).toHaveLength(1)
    await failNext(call)
    journal.append(entryNumber(2, 'ast_a'))
    await expect(journal.durable(2)).rejects.toBeInstanceOf(UnavailableError)
    await journal.rollBack(() => {})
    expect(await journal.history('ast_a')).toHaveLength(1)
    await journal.close()
  })
})

test('a failed write that cannot be undone is not reported as having changed nothing', async () => {
  const { journal } = await journalInFile()
  await failNext('datasync')
  await failNext('truncate')
  journal.append(entryNumber(1))
  await expect(journal.durable(1)).rejects.toMatchObject({
    inDoubt: true,
    message: expect.not.stringContaining('nothing was changed'),
  })
  await journal.close()
})

test('a file that cannot be truncated shows what was safe, and is truncated when possible', async () => {
  const { journal, text } = await journalInFile()
  for (const entry of entriesTo(2)) journal.append(entry)
  await journal.durable(2)
  await failNext('datasync')
  await failNext('truncate', 2)
  journal.append(entryNumber(3))
  await expect(journal.durable(3)).rejects.toMatchObject({ inDoubt: true })
  const safe: number[] = []
  await journal.rollBack(({ seq }) => safe.push(seq))
  expect(safe).toEqual([1, 2])
  expect(await text()).toBe(textOf(3))
  await expect(journal.tryAgain()).rejects.toThrow('ENOSPC')
  await journal.tryAgain()
  expect(await text()).toBe(textOf(2))
  await journal.close()
})

test('a waiting caller learns of a failed write after it is undone', async () => {
  const { journal, text } = await journalInFile()
  await failNext('datasync')
  journal.append(entryNumber(1))
  await expect(journal.durable(1)).rejects.toMatchObject({ inDoubt: false })
  expect(await text()).toBe('')
  await journal.close()
})

test('entries that wait behind a failed write are lost with it', async () => {
  const { journal, text } = await journalInFile()
  const write = await failNext('write')
  journal.append(entryNumber(1))
  const first = Promise.allSettled([journal.durable(1)])
  await expect.poll(() => write).toHaveBeenCalled()
  journal.append(entryNumber(2))
  const [one] = await first
  const [two] = await Promise.allSettled([journal.durable(2)])
  expect([one?.status, two?.status]).toEqual(['rejected', 'rejected'])
  await journal.rollBack(() => {})
  expect(await text()).toBe('')
  await journal.close()
})

test('a replacement that cannot be written leaves the journal unchanged', async () => {
  const { journal, text } = await journalInFile()
  journal.append(entryNumber(1))
  await journal.durable(1)
  await failNext('write')
  await expect(journal.replace(entriesTo(3), 'seed')).rejects.toBeInstanceOf(UnavailableError)
  journal.append(entryNumber(2))
  await journal.durable(2)
  expect(await text()).toBe(textOf(2))
  await journal.close()
})

test('a replacement whose name cannot be synced leaves the journal unchanged', async () => {
  const { journal, path, text } = await journalInFile()
  journal.append(entryNumber(1))
  await journal.durable(1)
  await failNext('sync')
  await expect(journal.replace(entriesTo(3), 'seed')).rejects.toBeInstanceOf(UnavailableError)
  journal.append(entryNumber(2))
  await journal.durable(2)
  expect(await text()).toBe(textOf(2))
  expect(await readdir(dirname(path))).toEqual(['journal.jsonl'])
  await journal.replace(entriesTo(3), 'seed')
  expect((await text()).endsWith(textOf(3))).toBe(true)
  await journal.close()
})
