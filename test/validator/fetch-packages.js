import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

const FLAGS = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

/**
 * Installs packages, each as `name@version`, once into a folder, and resolves modules from there. They are no
 * dependencies, because only one script needs them and the hundreds that they need.
 */
export async function fetchPackages(folder, packages) {
  const find = createRequire(join(folder, 'package.json')).resolve
  if (packages.every(one => isThere(folder, one))) return find
  console.log(`fetching ${packages.join(', ')} into ${folder}`)
  for (let tries = 3; ; tries--) {
    try {
      await promisify(execFile)('npm', ['install', ...FLAGS, '--prefix', folder, ...packages])
      return find
    } catch (cause) {
      if (tries === 1) throw new Error(`npm could not fetch them: ${cause.stderr ?? cause.message}`)
    }
  }
}

function isThere(folder, wanted) {
  const [, name, version] = /^(.+)@(.+)$/.exec(wanted)
  const manifest = join(folder, 'node_modules', name, 'package.json')
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version
}
