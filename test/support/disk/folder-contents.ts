import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The files of a folder by their paths, to restore them after they were damaged. */
export type Files = ReadonlyMap<string, Buffer>

function pathsIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
}

export const filesIn = (folder: string): Files =>
  new Map(pathsIn(folder).map(path => [path, readFileSync(path)]))

/** Writes these files, and removes all others. */
export function putBack(folder: string, files: Files): void {
  for (const path of pathsIn(folder)) if (!files.has(path)) rmSync(path)
  for (const [path, bytes] of files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, bytes, { mode: 0o600 })
  }
}
