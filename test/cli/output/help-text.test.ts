import { expect, onTestFinished, test, vi } from 'vitest'
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

const terminal = (columns: number) => ({ isTTY: true, columns })

test('breaks a message between words, but no command, and only for a terminal', () => {
  const message =
    'paysim: no keys for this base URL; run `paysim init --name shop` or set them\n  paysim payouts list --cursor a-long-one\n'
  expect(wrapMessage(message, terminal(30))).toBe(`paysim: no keys for this base
URL; run
\`paysim init --name shop\` or
set them
  paysim payouts list --cursor a-long-one
`)
  expect(wrapMessage(message, { ...terminal(30), isTTY: false })).toBe(message)
  expect(wrapMessage('  amount: must be a positive integer', terminal(24))).toBe(
    '  amount: must be a\n    positive integer',
  )
})

test.each([
  ["'paysim' 'payouts' 'list'", 'npx paysim'],
  ['vitest run', 'paysim'],
])('names commands to a person as they were called: %s', (script, called) => {
  vi.stubEnv('npm_lifecycle_event', 'npx')
  vi.stubEnv('npm_lifecycle_script', script)
  onTestFinished(() => void vi.unstubAllEnvs())
  const message =
    'paysim: gone; run `paysim doctor`\nto wait:  paysim payments wait pi_1\n  paysim sim why pi_1'
  expect(wrapMessage(message, terminal(80))).toBe(
    `paysim: gone; run \`${called} doctor\`\nto wait:  ${called} payments wait pi_1\n  ${called} sim why pi_1`,
  )
  expect(wrapMessage(message, { ...terminal(80), isTTY: false })).toBe(message)
})
