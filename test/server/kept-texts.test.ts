import { expect, test } from 'vitest'
import { holds, KeptTexts, type Piece, read } from '../../src/server/requests/request-log.ts'

/** Texts of all widths in UTF-8, of 0 to 16,383 characters, so that their ends fall anywhere. */
const CHARACTERS = ['a', 'é', 'ท', '€', '😀']
const textOf = (nth: number) => `${nth} ${CHARACTERS[nth % 5]}`.repeat((nth * 7919) % 2000)

test('the latest texts are read as they were stored, and one that was given up is never read', () => {
  const texts = new KeptTexts()
  const added: { text: string; piece: Piece }[] = []
  const check = () => {
    const held = added.map(({ piece }) => holds(piece))
    const first = held.indexOf(true)
    expect(held.lastIndexOf(false)).toBeLessThan(first)
    const bytes = added.slice(first).reduce((total, { piece }) => total + piece.length, 0)
    if (first > 0) expect(bytes).toBeGreaterThan(KeptTexts.most * 0.7)
    expect(bytes).toBeLessThanOrEqual(texts.bytes)
    expect(texts.bytes).toBeLessThanOrEqual(KeptTexts.most)
    for (const { text, piece } of added.slice(first)) if (read(piece) !== text) expect(text).toBe('read')
  }
  for (let nth = 0; nth < 1500; nth++) {
    const text = textOf(nth)
    added.push({ text, piece: texts.add(text) })
    if (nth % 500 === 7) check()
  }
  check()
  expect(holds(added[0]?.piece as Piece)).toBe(false)
})

test('a few texts take little memory, and what is older than one of them can be given up', () => {
  const texts = new KeptTexts()
  expect(texts.bytes).toBe(0)
  const pieces = Array.from({ length: 40 }, (_, nth) => texts.add(`${nth}`.padStart(1000, '.')))
  expect(texts.bytes).toBeLessThan(2 * 40_000)
  const [first, , , , , sixth, last] = [...pieces.slice(0, 6), pieces[39]] as Piece[]
  if (!first || !sixth || !last) throw new Error('forty texts were added')
  texts.giveUpBefore(sixth)
  expect([holds(first), holds(sixth), holds(last)]).toEqual([false, true, true])
  expect(read(sixth)).toBe('5'.padStart(1000, '.'))
  texts.giveUpBefore(first)
  expect(holds(sixth)).toBe(true)
})
