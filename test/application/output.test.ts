import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Output } from '../../src/application/process.ts'

/** The lines kept of chunks that came one after the other. */
function kept(...chunks: string[]): string[] {
  const output = new Output()
  const stream = new PassThrough()
  output.follow(stream)
  for (const chunk of chunks) stream.emit('data', Buffer.from(chunk))
  return output.lines()
}

const lines = (count: number, text: string) => `${text}\n`.repeat(count)

test('a short output is kept completely', () => {
  expect(kept('one\n', 'two\n')).toEqual(['one', 'two'])
})

test('the last lines of a long output are kept', () => {
  const shown = kept(lines(40, 'before'), lines(30, 'after'))
  expect(shown).toEqual(['…', ...Array(30).fill('after')])
})

test('a short chunk after a long one does not push out the whole long one', () => {
  expect(kept(lines(10_000, 'a long report'), 'the error\n')).toEqual([
    '…',
    ...Array(29).fill('a long report'),
    'the error',
  ])
})

test('output that no longer fits is dropped', () => {
  const output = new Output()
  const stream = new PassThrough()
  output.follow(stream)
  for (let sent = 0; sent < 100; sent++) stream.emit('data', Buffer.alloc(4_000, '.'))
  stream.emit('data', Buffer.from('\nend\n'))
  expect(output.lines()).toEqual(['…', '.'.repeat(500), 'end'])
})
