import type { FileHandle } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readLines } from '../../src/engine/journal/journal-format.ts'

/** A file that gives no more than so many bytes at a time, as any read may. */
function fileOf(bytes: Buffer, most: number): FileHandle {
  const read = async (buffer: Buffer, offset: number, length: number, position: number) => {
    const bytesRead = bytes.copy(
      buffer,
      offset,
      position,
      Math.min(position + Math.min(length, most), bytes.length),
    )
    return { bytesRead, buffer }
  }
  return { read } as unknown as FileHandle
}

async function linesOf(bytes: Buffer, most: number, end?: number) {
  const lines = []
  for await (const line of readLines(fileOf(bytes, most), end)) lines.push(line)
  return lines
}

/** The same, all at once. */
function naive(bytes: Buffer) {
  const lines = []
  let offset = 0
  for (let number = 1; offset < bytes.length; number++) {
    const feed = bytes.indexOf('\n', offset)
    const end = feed === -1 ? bytes.length : feed
    const text = bytes.subarray(offset, end).toString()
    lines.push({ number, text, offset, length: end - offset, terminated: feed !== -1 })
    offset = end + 1
  }
  return lines
}

test('lines are the same wherever chunks end, even within a character', async () => {
  const contents = fc.array(fc.constantFrom('a', 'ร้', '😀', '\n', '\n\n', '\r\n', 'a long word'), {
    maxLength: 20,
  })
  await fc.assert(
    fc.asyncProperty(contents, fc.integer({ min: 1, max: 7 }), async (parts, most) => {
      const bytes = Buffer.from(parts.join(''))
      expect(await linesOf(bytes, most)).toEqual(naive(bytes))
    }),
  )
})

test.each([1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1, 3 * 1024 * 1024])(
  'a line of %i bytes is one line',
  async length => {
    const bytes = Buffer.from(`${'x'.repeat(length)}\nlast`)
    const [first, second] = await linesOf(bytes, Number.POSITIVE_INFINITY)
    expect([first?.text.length, first?.terminated]).toEqual([length, true])
    expect(second).toEqual({ number: 2, text: 'last', offset: length + 1, length: 4, terminated: false })
  },
)

test('reading stops at a given end, whatever follows in the file', async () => {
  expect((await linesOf(Buffer.from('one\ntwo\nthree\n'), 5, 8)).map(({ text }) => text)).toEqual([
    'one',
    'two',
  ])
  expect(await linesOf(Buffer.from('one\n'), 5, 0)).toEqual([])
  expect(await linesOf(Buffer.alloc(0), 5)).toEqual([])
})
