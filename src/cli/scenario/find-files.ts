import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'

const SCENARIO = /\.(ya?ml|json)$/
/** In a folder, JSON may be anything; what a schema is named, or a receipt beside a story, is none. */
const IN_FOLDER = /\.ya?ml$|\.scenario\.json$/

/** Files as they are named, and all scenarios of folders, in the order of their names. */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) found.push(...(await filesAt(path)))
  return [...new Set(found)]
}

async function filesAt(path: string): Promise<string[]> {
  const facts = await stat(path).catch(() => undefined)
  if (!facts) throw new UsageError(`${path} is not there`)
  if (!facts.isDirectory()) {
    if (!SCENARIO.test(path)) throw new UsageError(`${path} is no .yaml, .yml or .json file`)
    return [path]
  }
  const names = await readdir(path, { recursive: true })
  const files = names.filter(name => IN_FOLDER.test(name)).sort()
  if (files.length === 0)
    throw new UsageError(`${path} holds no scenario: no .yaml, .yml or .scenario.json file`)
  return files.map(name => join(path, name))
}
