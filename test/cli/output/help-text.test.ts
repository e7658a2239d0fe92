import { expect, test } from 'vitest'
import { fill, fillParagraphs, wrapMessage } from '../../../src/cli/help-text.ts'

const TEXT = `
The server does this:
it starts, and it listens on a port.

Examples:
  paysim serve
  paysim serve --ephemeral --clock virtual
  paysim serve    run a gateway with its data here`

test('fills paragraphs, and breaks long examples before an option or a description', () => {
  expect(fillParagraphs(TEXT, 32)).toBe(`
The server does this: it starts,
and it listens on a port.

Examples:
  paysim serve
  paysim serve --ephemeral \\
    --clock virtual
  paysim serve
      run a gateway with its data here`)
})

test('leaves examples that fit unchanged', () => {
  expect(fillParagraphs(TEXT, 100)).toContain('\n  paysim serve --ephemeral --clock virtual\n')
})

test('indents all lines but the first', () => {
  expect(fill('show the clock and the next timer', 22, 4)).toBe('show the clock and\n    the next timer')
})

test('breaks a message between words, but no command, and only for a terminal', () => {
  const message =
    'paysim: no keys for this base URL; run `paysim init --name shop` or set them\n  paysim payouts list --cursor a-long-one\n'
  expect(wrapMessage(message, 30)).toBe(`paysim: no keys for this base
URL; run
\`paysim init --name shop\` or
set them
  paysim payouts list --cursor a-long-one
`)
  expect(wrapMessage(message, 0)).toBe(message)
  expect(wrapMessage('  amount: must be a positive integer', 24)).toBe(
    '  amount: must be a\n    positive integer',
  )
})
