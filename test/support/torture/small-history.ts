import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'

/** These sizes are so small that a few requests fill a checkpoint, and a few more fill a segment. */
const SIZES = `
export const ENTRIES_A_CHECKPOINT = 48
export const BYTES_A_CHECKPOINT = 40_000
export const SEGMENT_BYTES = 24_000
`

/**
 * The command line, built from the same sources with one file replaced: the sizes of a checkpoint and of a segment.
 * With the real sizes, a server that is killed every second would reach neither. `remove` deletes the build.
 */
export async function buildWithSmallHistory(): Promise<{ binary: string; remove: () => void }> {
  const root = mkdtempSync(join(tmpdir(), 'paysim-small-history-'))
  let replaced = false
  await build({
    input: { cli: 'src/cli/main.ts' },
    platform: 'node',
    plugins: [
      {
        name: 'small history',
        load(id) {
          if (!id.endsWith('/checkpoint/history-sizes.ts')) return null
          replaced = true
          return SIZES
        },
      },
    ],
    transform: { target: 'node20.19', define: { PAYSIM_VERSION: '"0.0.0"' } },
    checks: { ineffectiveDynamicImport: false },
    output: {
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      dir: join(root, 'dist'),
    },
  })
  if (!replaced) throw new Error('no module history-sizes.ts is in the bundle any more')
  for (const path of ['dist/standard-rules.json', 'dist/web', 'fixtures'])
    cpSync(path, join(root, path), { recursive: true })
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin', 'paysim.js'), "require('../dist/cli.cjs')\n")
  return {
    binary: join(root, 'bin', 'paysim.js'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
