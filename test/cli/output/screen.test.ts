import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openScreen } from '../../../src/cli/output/screen.ts'
import { MemoryStream } from '../../support/cli/memory-stream.ts'

beforeEach(() => {
  for (const name of ['FORCE_COLOR', 'NO_COLOR', 'COLUMNS']) vi.stubEnv(name, undefined)
})
afterEach(() => void vi.unstubAllEnvs())

const terminal = new MemoryStream({ isTTY: true, columns: 72 }).out
const pipe = new MemoryStream().out

test.each<
  [what: string, stream: NodeJS.WriteStream, env: Record<string, string>, color: boolean, level: number]
>([
  ['a terminal', terminal, {}, true, 3],
  ['a pipe', pipe, {}, true, 0],
  ['a terminal', terminal, { NO_COLOR: '1' }, true, 0],
  ['a terminal', terminal, { NO_COLOR: '' }, true, 3],
  ['a pipe', pipe, { FORCE_COLOR: '1' }, true, 1],
  ['a pipe', pipe, { FORCE_COLOR: '' }, true, 1],
  ['a pipe', pipe, { FORCE_COLOR: '3' }, true, 3],
  ['a terminal', terminal, { FORCE_COLOR: '0' }, true, 0],
  ['a pipe', pipe, { FORCE_COLOR: '2', NO_COLOR: '1' }, true, 2],
  ['a terminal', terminal, {}, false, 0],
  ['a pipe', pipe, { FORCE_COLOR: '1' }, false, 0],
])('%s with %j %j and color %j has colours of level %i', async (_, stream, env, color, level) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  expect((await openScreen(stream, { color })).paint.level).toBe(level)
})

test.each<[stream: NodeJS.WriteStream, columns: string | undefined, width: number]>([
  [terminal, '50', 72],
  [pipe, undefined, 100],
  [pipe, '50', 50],
  [pipe, 'wide', 100],
  [pipe, '-3', 100],
])('the width is from the terminal, else COLUMNS, else a default', async (stream, columns, width) => {
  vi.stubEnv('COLUMNS', columns)
  expect((await openScreen(stream, {})).width).toBe(width)
})

test('colours have no width in ASCII text either', async () => {
  vi.stubEnv('FORCE_COLOR', '1')
  const { widthOf, paint } = await openScreen(pipe, {}, { ascii: true })
  expect(widthOf(`${paint.red('abc')}…`)).toBe(4)
})
