import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { CHUNK, PackedFile, pack } from '../../src/engine/postgres/checkpoint-copy.ts'
import { DamagedError } from '../../src/engine/store/store-errors.ts'

const WHOLE = Buffer.from(Array.from({ length: 2.5 * CHUNK }, (_, at) => (at % 251) ^ (at >> 16)))

async function* chunksOf(whole: Buffer) {
  for (let at = 0; at < whole.length; at += CHUNK) yield pack(whole.subarray(at, at + CHUNK))
}

function aPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'records')
}

async function taken(path: string, whole = WHOLE): Promise<PackedFile> {
  const file = await PackedFile.take(path, chunksOf(whole))
  onTestFinished(() => file.close())
  return file
}

const piece = fc.record({
  offset: fc.nat(WHOLE.length + 10),
  length: fc.oneof(fc.nat(2000), fc.nat(WHOLE.length)),
})

test('every piece reads back correctly before, while and after it is unpacked', async () => {
  const file = await taken(aPath())
  const { size, readNow, read } = file.records()
  expect(size).toBe(WHOLE.length)
  const check = () =>
    fc.assert(
      fc.asyncProperty(piece, async ({ offset, length }) => {
        const right = WHOLE.subarray(offset, offset + length)
        expect(readNow(offset, length).equals(right)).toBe(true)
        expect((await read(offset, length)).equals(right)).toBe(true)
      }),
      { numRuns: 40 },
    )
  await check()
  const unpacked = file.unpackAll()
  await check()
  await unpacked
  await check()
})

test('only the original file remains after unpacking', async () => {
  const path = aPath()
  const file = await taken(path)
  await file.unpackAll()
  expect(readdirSync(join(path, '..'))).toEqual(['records'])
  // What is closed by its reader stays open for the next one.
  await file.records().close()
  expect(file.records().readNow(0, WHOLE.length).equals(WHOLE)).toBe(true)
})

test('a file that is removed during unpacking does not come back', async () => {
  const path = aPath()
  const file = await taken(path)
  rmSync(path)
  await file.unpackAll()
  expect(readdirSync(join(path, '..'))).toEqual([])
})

test('closing the file ends the unpacking, and leaves no packed file', async () => {
  const path = aPath()
  const file = await taken(path)
  const unpacked = file.unpackAll()
  await file.close()
  await unpacked
  expect(readdirSync(join(path, '..'))).toEqual(['records'])
})

test('damage affects only its own part', async () => {
  const path = aPath()
  const file = await taken(path)
  const packed = await pack(WHOLE.subarray(0, CHUNK))
  writeFileSync(`${path}.packed`, Buffer.alloc(packed.length, 7), { flag: 'r+' })
  const { readNow, read } = file.records()
  const message = /records, from byte 0, a part is damaged/
  expect(() => readNow(10, 20)).toThrow(message)
  await expect(read(10, 20)).rejects.toThrow(DamagedError)
  await expect(file.unpackAll()).rejects.toThrow(message)
  expect(readNow(CHUNK, 20).equals(WHOLE.subarray(CHUNK, CHUNK + 20))).toBe(true)
})
