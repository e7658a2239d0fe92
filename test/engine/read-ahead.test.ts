import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openRecordFile, ReadAhead } from '../../src/engine/checkpoint/layer.ts'

test('every piece equals that of the file, forwards, backwards, in any order and at its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  const whole = Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 251))
  writeFileSync(path, whole, { mode: 0o600 })
  const records = await openRecordFile(path)
  onTestFinished(() => records.close())
  const step = fc.record({
    skip: fc.oneof(fc.constant(0), fc.integer({ min: -40_000, max: 40_000 })),
    length: fc.nat(20_000),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const file = new ReadAhead(records)
      let offset = 0
      for (const { skip, length } of steps) {
        offset = Math.max(0, offset + skip)
        expect(file.piece(offset, length).equals(whole.subarray(offset, offset + length))).toBe(true)
        offset += length
      }
    }),
  )
})
