import { expect, test } from 'vitest'
import { ByteRing, type Piece } from '../../src/server/requests/request-log.ts'

/** Texts of all widths in UTF-8, of 0 to 16,383 characters, so that their ends fall anywhere. */
const CHARACTERS = ['a', 'é', 'ท', '€', '😀']
const textOf = (nth: number) => `${nth} ${CHARACTERS[nth % 5]}`.repeat((nth * 7919) % 2000)

test('the latest texts are read as they were stored, and an overwritten one is never read', () => {
  const ring = new ByteRing()
  const added: { text: string; piece: Piece }[] = []
  const check = () => {
    const held = added.map(({ piece }) => ring.holds(piece))
    const first = held.indexOf(true)
    expect(held.lastIndexOf(false)).toBeLessThan(first)
    const bytes = added.slice(first).reduce((total, { piece }) => total + piece.length, 0)
    if (first > 0) expect(bytes).toBeGreaterThan(ByteRing.most * 0.99)
    expect(bytes).toBeLessThanOrEqual(ring.bytes)
    expect(ring.bytes).toBeLessThanOrEqual(ByteRing.most)
    for (const { text, piece } of added.slice(first)) if (ring.read(piece) !== text) expect(text).toBe('read')
  }
  for (let nth = 0; nth < 6000; nth++) {
    const text = textOf(nth)
    added.push({ text, piece: ring.add(text) })
    if (nth % 500 === 7) check()
  }
  check()
  expect(ring.holds(added[0]?.piece as Piece)).toBe(false)
})

test('a ring in which little was stored takes little memory', () => {
  const ring = new ByteRing()
  expect(ring.bytes).toBe(0)
  const piece = ring.add('a body')
  expect(ring.bytes).toBeLessThan(ByteRing.most / 10)
  expect(ring.read(piece)).toBe('a body')
})
