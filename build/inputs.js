import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Everything that decides what a build makes. The lock file stands for the packages. */
const INPUTS = [
  'bin',
  'build',
  'build.js',
  'package.json',
  'package-lock.json',
  'scenarios/default.yaml',
  'src',
  'tsconfig.json',
  'tsconfig.types.json',
]

/** Beside the packages, so that a new installation builds again. */
const RECORD = 'node_modules/.cache/paysim/built-from'

export function digestOfInputs() {
  const digest = createHash('sha256')
  for (const input of INPUTS)
    for (const file of filesIn(input)) digest.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return digest.digest('hex')
}

/** Whether dist/ was built from these inputs. */
export function isBuiltFrom(digest) {
  return existsSync('dist') && existsSync(RECORD) && readFileSync(RECORD, 'utf8') === digest
}

export function recordBuild(digest) {
  mkdirSync(dirname(RECORD), { recursive: true })
  writeFileSync(RECORD, digest)
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
}
