import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The package as `npm publish` would send it, unpacked in a folder where Node finds no node_modules. */
export interface Packed {
  /** To be removed when done. */
  readonly directory: string
  readonly tarball: string
  readonly root: string
}

export function packAndUnpack(): Packed {
  const directory = mkdtempSync(join(tmpdir(), 'paysim-package-'))
  // Without the scripts, because `prepack` would build dist/ again while other tests run it.
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], process.cwd())
  const [name = ''] = readdirSync(directory)
  run('tar', ['-xzf', name], directory)
  return { directory, tarball: join(directory, name), root: join(directory, 'package') }
}

function run(command: string, args: readonly string[], cwd: string): void {
  // On Windows, npm is a script that only a shell runs.
  execFileSync(command, args, { cwd, stdio: 'pipe', shell: process.platform === 'win32' })
}
