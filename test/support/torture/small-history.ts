import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'

/** These sizes are so small that a few requests fill a checkpoint, and a few more fill a segment. */
const SIZES = { ENTRIES_A_CHECKPOINT: 48, BYTES_A_CHECKPOINT: 40_000, SEGMENT_BYTES: 24_000 }

/** The source of the checkpoints with these sizes. */
function withSmallSizes(source: string): string {
  return Object.entries(SIZES).reduce((code, [name, size]) => {
    const line = new RegExp(`^export const ${name} = .*$`, 'm')
    if (!line.test(code)) throw new Error(`checkpoints.ts has no constant ${name} any more`)
    return code.replace(line, `export const ${name} = ${size}`)
  }, source)
}

/**
 * The command line, built from the same sources with other sizes of a checkpoint and of a segment.
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
          if (!id.endsWith('/checkpoint/checkpoints.ts')) return null
          replaced = true
          return withSmallSizes(readFileSync(id, 'utf8'))
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
  if (!replaced) throw new Error('no module checkpoints.ts is in the bundle any more')
  for (const path of ['dist/standard-rules.json', 'dist/web', 'fixtures'])
    cpSync(path, join(root, path), { recursive: true })
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin', 'paysim.js'), "require('../dist/cli.cjs')\n")
  return {
    binary: join(root, 'bin', 'paysim.js'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
