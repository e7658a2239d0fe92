import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawRecord } from '../../../src/cli/output/record.ts'
import { wrapTo } from '../../../src/cli/output/text.ts'
import { widthOf } from '../../../src/cli/output/width-of.ts'
import { screenOf } from '../../support/cli/screen-of.ts'

const thai = 'ผู้รับชำระเงินแทนร้านค้าออนไลน์ทั้งหมดในระบบ'
const texts = fc.oneof(
  fc.string({ maxLength: 120 }),
  fc.array(fc.constantFrom(thai, '日本', '👩‍👩‍👧', 'word', ' '), { maxLength: 12 }).map(it => it.join('')),
)

test('wrapped lines fit, and lose only blanks', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 60 }), (text, width) => {
      const lines = wrapTo(text, width, widthOf)
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
      const solid = (it: string) => it.replace(/\s/g, '')
      expect(solid(lines.join(''))).toBe(solid(text))
    }),
  )
})

test('Thai text is broken between words', () => {
  const words = new Set(
    Array.from(new Intl.Segmenter('th', { granularity: 'word' }).segment(thai), ({ index }) => index),
  )
  let at = 0
  for (const line of wrapTo(thai, 12, widthOf)) {
    expect(words).toContain(at)
    at += line.length
  }
})

test('aligns values, and leaves out missing ones', () => {
  const record = drawRecord(
    [
      { label: 'id', value: 'pi_1' },
      { label: 'reference', value: null },
      { label: 'ผู้รับ', value: 'a recipient whose name goes on for more than a line' },
      { label: 'created', value: 'today', note: 'now' },
    ],
    screenOf(40),
  )
  expect(record).toBe(
    [
      '  id       pi_1',
      '  ผู้รับ      a recipient whose name goes',
      '           on for more than a line',
      '  created  today  now',
    ].join('\n'),
  )
})

test('never breaks a value that is meant for copying', () => {
  const url = `https://pay.example/${'x'.repeat(100)}`
  expect(drawRecord([{ label: 'URL', value: url, whole: true }], screenOf(40))).toBe(`  URL  ${url}`)
})

test('values go below the labels on a screen with no room beside them', () => {
  expect(drawRecord([{ label: 'failure message', value: 'it did not work out' }], screenOf(20))).toBe(
    '  failure message\n    it did not work\n    out',
  )
})
