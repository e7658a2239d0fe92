import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Entry, recordsOf } from '../../src/domain/events.ts'
import { sealLine, writeLine } from '../../src/engine/journal/journal-format.ts'
import { entriesTo, entryNumber } from '../support/engine/entries.ts'
import { fileCalls, journalInFile } from '../support/engine/journal-in-file.ts'

afterEach(() => vi.restoreAllMocks())

const textOf = (last: number) => entriesTo(last).map(writeLine).join('')

describe('entries that wait together', () => {
  test('share one sync', async () => {
    const { journal, text } = await journalInFile()
    const datasync = vi.spyOn(await fileCalls(), 'datasync')
    for (const entry of entriesTo(100)) journal.append(entry)
    await Promise.all(entriesTo(100).map(({ seq }) => journal.durable(seq)))
    expect(datasync).toHaveBeenCalledTimes(1)
    expect(await text()).toBe(textOf(100))
    await journal.close()
  })

  test('go into the next batch while one is being written', async () => {
    const { journal } = await journalInFile()
    const datasync = vi.spyOn(await fileCalls(), 'datasync')
    journal.append(entryNumber(1))
    const first = journal.durable(1)
    await first
    for (const seq of [2, 3, 4]) journal.append(entryNumber(seq))
    await journal.durable(4)
    expect(datasync).toHaveBeenCalledTimes(2)
    await journal.close()
  })

  test('are on disk before they are reported as safe', async () => {
    const { journal, path } = await journalInFile()
    for (const entry of entriesTo(20)) {
      journal.append(entry)
      await journal.durable(entry.seq)
      expect(await readFile(path, 'utf8')).toBe(textOf(entry.seq))
    }
    await journal.close()
  })

  test('are written completely when the disk accepts a few bytes at a time', async () => {
    const { journal, text } = await journalInFile()
    const calls = await fileCalls()
    const write = calls.write as unknown as (...args: unknown[]) => Promise<{ bytesWritten: number }>
    vi.spyOn(calls, 'write').mockImplementation(function (
      this: unknown,
      bytes: unknown,
      offset: unknown,
      length: unknown,
    ) {
      return write.call(this, bytes, offset, Math.min(7, Number(length)), null) as never
    } as never)
    for (const entry of entriesTo(3)) journal.append(entry)
    await journal.durable(3)
    expect(await text()).toBe(textOf(3))
    await journal.close()
  })
})

test('a journal without sync makes none', async () => {
  const { journal, text } = await journalInFile({ sync: false })
  const datasync = vi.spyOn(await fileCalls(), 'datasync')
  journal.append(entryNumber(1))
  await journal.durable(1)
  expect(datasync).not.toHaveBeenCalled()
  expect(await text()).toBe(textOf(1))
  await journal.close()
})

test('a safe entry resolves at once', async () => {
  const { journal } = await journalInFile()
  expect(journal.durable(0)).toBeUndefined()
  journal.append(entryNumber(1))
  expect(journal.durable(1)).toBeInstanceOf(Promise)
  await journal.durable(1)
  expect(journal.durable(1)).toBeUndefined()
  await journal.close()
})

describe('a journal that is opened again', () => {
  test('replays its entries in order and continues after them', async () => {
    const { journal, path } = await journalInFile()
    for (const entry of entriesTo(3)) journal.append(entry)
    await journal.close()
    const again = await journalInFile({ path })
    expect(again.told.entries).toEqual(entriesTo(3))
    expect(again.journal.durable(3)).toBeUndefined()
    again.journal.append(entryNumber(4))
    await again.journal.close()
    expect(await readFile(path, 'utf8')).toBe(textOf(4))
  })

  test('keeps a last line that lacks only its line feed', async () => {
    const { journal, path } = await journalInFile()
    for (const entry of entriesTo(2)) journal.append(entry)
    await journal.close()
    await truncate(path, (await stat(path)).size - 1)
    const again = await journalInFile({ path })
    expect(again.told).toMatchObject({ entries: entriesTo(2), torn: [] })
    again.journal.append(entryNumber(3))
    await again.journal.close()
    expect(await readFile(path, 'utf8')).toBe(textOf(3))
  })

  test.each(['{', '{"v":1', `${writeLine(entryNumber(3)).slice(0, -2)}`, '\ud83d'])(
    'cuts off and reports an incomplete last line: %s',
    async torn => {
      const { journal, path } = await journalInFile()
      for (const entry of entriesTo(2)) journal.append(entry)
      await journal.close()
      await appendFile(path, torn)
      const again = await journalInFile({ path })
      expect(again.told.torn).toEqual([expect.stringContaining('the last line (3) is incomplete')])
      expect(again.told.entries).toEqual(entriesTo(2))
      again.journal.append(entryNumber(3))
      await again.journal.close()
      expect(await readFile(path, 'utf8')).toBe(textOf(3))
    },
  )

  test.each([
    ['in the middle', (text: string) => text.replace('ast_2', 'ast_9'), 2],
    ['in the first line', (text: string) => ` ${text}`, 1],
    ['in its very last byte', (text: string) => `${text.slice(0, -1)}\v`, 3],
    ['a line lost', (text: string) => text.split('\n').toSpliced(1, 1).join('\n'), 2],
    ['a line twice', (text: string) => text.replace(/\n/, `\n${writeLine(entryNumber(1))}`), 2],
    ['an empty line', (text: string) => text.replace(/\n/, '\n\n'), 2],
  ])('stops at damage with file and line, and changes nothing: %s', async (_, damage, line) => {
    const { journal, path } = await journalInFile()
    await journal.close()
    const damaged = damage(textOf(3))
    await writeFile(path, damaged)
    await expect(journalInFile({ path })).rejects.toThrow(`${path}:${line}: this journal line is damaged`)
    expect(await readFile(path, 'utf8')).toBe(damaged)
  })
})

test('a journal of a newer paysim is refused, and the error says what to do', async () => {
  const { journal, path } = await journalInFile()
  await journal.close()
  const text = `${textOf(1)}${sealLine(JSON.stringify({ ...entryNumber(2), v: 2 }))}`
  await writeFile(path, text)
  await expect(journalInFile({ path })).rejects.toThrow(
    `${path}:2: a newer paysim wrote this line: its version is 2, and this paysim reads journals up to version 1. ` +
      'Nothing was changed. Start the version that wrote it, or use another --data directory',
  )
  expect(await readFile(path, 'utf8')).toBe(text)
})

describe('the history of a record', () => {
  test('has the entries that name it, including new ones', async () => {
    const { journal } = await journalInFile()
    for (const seq of [1, 2, 3]) journal.append(entryNumber(seq, seq === 2 ? 'ast_b' : 'ast_a'))
    expect(await journal.history('ast_a')).toEqual([entryNumber(1, 'ast_a'), entryNumber(3, 'ast_a')])
    journal.append(entryNumber(4, 'ast_a'))
    await journal.durable(4)
    expect((await journal.history('ast_a')).map(({ seq }) => seq)).toEqual([1, 3, 4])
    expect(await journal.history('ast_c')).toEqual([])
    await journal.close()
  })

  test('has them whatever the ids are, and in whatever file their lines are', async () => {
    const ids = ['ast_a', 'ast_ab', 'a"b', 'a\\b', 'a\\', 'ก', '\u2028', '']
    const steps = fc.array(fc.oneof(fc.constantFrom(...ids), fc.constant(null), fc.constant(undefined)), {
      minLength: 20,
      maxLength: 40,
      size: 'max',
    })
    await fc.assert(
      fc.asyncProperty(steps, async given => {
        const { journal } = await journalInFile({ sync: false })
        const written: Entry[] = []
        let cutAt = 0
        for (const step of given) {
          if (step === null) {
            if (written.length > cutAt) await journal.cut()
            cutAt = written.length
          } else if (step !== undefined) {
            written.push(entryNumber(written.length + 1, step))
            journal.append(entryNumber(written.length, step))
            await journal.durable(written.length)
          } else
            for (const id of ids)
              expect(await journal.history(id)).toEqual(
                written.filter(({ events }) => events.some(event => recordsOf(event).includes(id))),
              )
        }
        await journal.close()
      }),
      { numRuns: 20 },
    )
  })

  test('misses no entry that was written during the first read', async () => {
    const { journal } = await journalInFile({ sync: false })
    for (const entry of entriesTo(20_000)) journal.append(entry)
    await journal.durable(20_000)
    const asked = journal.history('ast_1')
    for (let seq = 20_001; seq <= 20_010; seq++) {
      journal.append(entryNumber(seq, 'ast_1'))
      await journal.durable(seq)
    }
    await asked
    try {
      expect((await journal.history('ast_1')).map(({ seq }) => seq)).toEqual([
        1,
        ...Array.from({ length: 10 }, (_, at) => 20_001 + at),
      ])
    } finally {
      await journal.close()
    }
  })
})

describe('a journal that is replaced', () => {
  test('holds only the new entries', async () => {
    const { journal, text } = await journalInFile()
    for (const entry of entriesTo(5)) journal.append(entry)
    await journal.replace(entriesTo(2), 'seed')
    const header = (await text()).split('\n')[0]
    expect(JSON.parse(header ?? '')).toMatchObject({ v: 1, seq: 0, seed: 'seed' })
    expect(await text()).toBe(`${header}\n${textOf(2)}`)
    expect((await journal.history('ast_5')).length).toBe(0)
    journal.append(entryNumber(3))
    await journal.durable(3)
    expect(await text()).toBe(`${header}\n${textOf(3)}`)
    await journal.close()
  })

  test('has its seed after a restart, and the seed is not an entry', async () => {
    const { journal, path } = await journalInFile()
    await journal.replace(entriesTo(2), 'seed')
    journal.append(entryNumber(3))
    await journal.close()
    const again = await journalInFile({ path })
    expect(again.journal.seed).toBe('seed')
    expect(again.told.entries).toEqual(entriesTo(3))
    const lines: string[] = []
    for await (const line of again.journal.lines()) lines.push(line)
    expect(lines.join('')).toBe(textOf(3))
    expect((await again.journal.history('ast_1')).length).toBe(1)
    await again.journal.close()
  })

  test('accepts or refuses new entries during the replacement, but does not break', async () => {
    const { journal, told } = await journalInFile()
    journal.append(entryNumber(1))
    await journal.durable(1)
    const replaced = journal.replace(entriesTo(200), 'seed')
    let seq = 1
    const busy = (async () => {
      while (told.failures.length === 0 && seq < 2000) {
        journal.append(entryNumber(++seq))
        await new Promise(setImmediate)
      }
    })()
    await replaced
    const failures = [...told.failures]
    seq = 2000
    await busy
    await journal.close()
    expect(failures).toEqual([])
  })
})
