import { expect, test } from 'vitest'
import { widthOf } from '../../../src/cli/output/width-of.ts'

/** As a terminal moves its cursor, measured in tmux. */
test.each([
  ['', 0],
  ['plain ASCII', 11],
  ['สมชาย ใจดี', 9],
  ['ผู้รับชำระเงิน', 10],
  // Sara am joins the sign before it, and takes a column all the same.
  ['น้ำ', 2],
  ['ำ', 1],
  ['กำำ', 3],
  ['ຄຳ', 2],
  ['Nguyễn Văn An', 13],
  ['日本商店', 8],
  ['한국어', 6],
  ['👩‍👩‍👧 Family', 9],
  ['🇹🇭', 2],
  ['\u001b[31mน้ำ\u001b[39m', 2],
])('%j takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns)
})
