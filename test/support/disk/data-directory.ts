import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Tests do not rely on the layout of a data directory: they recognise a journal by its content. */

export async function filesUnder(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

/** The file of JSON lines that contains this text. */
export async function journalHolding(directory: string, text: string): Promise<string> {
  for (const path of await filesUnder(directory)) {
    const content = await readFile(path, 'utf8')
    const lines = content.trimEnd().split('\n')
    if (lines.length > 1 && content.includes(text) && lines.every(line => line.startsWith('{'))) return path
  }
  throw new Error(`no journal in ${directory} holds ${text}`)
}

/** Every file with the digest of its bytes: equal when nothing was touched. */
export async function fingerprints(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const path of await filesUnder(directory)) {
    found[path] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  }
  return found
}

/** The data directory of a stopped server, again for one test: a copy takes less than a start. */
export async function copyOf(directory: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'paysim-copy-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  await cp(directory, copy, { recursive: true })
  return copy
}
