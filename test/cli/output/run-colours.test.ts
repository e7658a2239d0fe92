import { expect, onTestFinished, test, vi } from 'vitest'
import { cleaned } from '../../../src/cli/output/door.ts'
import { paintFor } from '../../../src/cli/scenario/run.ts'

test.each([
  [{ NO_COLOR: '1' }, 'x'],
  [{ NO_COLOR: '', FORCE_COLOR: undefined }, '\u001b[31mx\u001b[39m'],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, '\u001b[31mx\u001b[39m'],
])('a run on a terminal has the colours that %o asks for', async (environment, shown) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const terminal = { isTTY: true, columns: 80, getColorDepth: () => 8 } as unknown as NodeJS.WriteStream
  expect(cleaned((await paintFor(terminal)).bad('x'))).toBe(shown)
})
