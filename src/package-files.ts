import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

declare module 'node:sea' {
  /** Node 20, whose types these are, lacks it. The executable file has a later Node. */
  function getAssetKeys(): string[]
}

/**
 * The root of the package: this module, and the bundle that contains it, are one level below. In the one executable file
 * that `npm run build:binary` makes, it is that file, and the files of the package are assets inside it.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const INSIDE = ROOT === `${process.execPath}${sep}` ? process.getBuiltinModule('node:sea') : undefined

/** How this paysim was started: one executable file, or Node and its script. */
export const PROGRAM: readonly [string, ...string[]] = INSIDE
  ? [process.execPath]
  : [process.execPath, resolve(process.argv[1] ?? '')]

/** For a path that somebody else follows; in one executable file, there is no such path. */
export const packageFile = (name: string) => join(ROOT, name)

/** Throws if there is none. */
export function readPackageFile(name: string): Buffer {
  if (INSIDE) return Buffer.from(INSIDE.getAsset(name))
  try {
    return readFileSync(packageFile(name))
  } catch (cause) {
    // The folder would be there if this module still were in its own place.
    if (existsSync(packageFile('fixtures'))) throw cause
    throw new Error(
      `${name} of paysim cannot be read: a bundler has taken paysim out of its package; leave it there (esbuild: --packages=external)`,
      { cause },
    )
  }
}

/** The names of all files below a folder of the package, from that folder. */
export function packageFilesBelow(folder: string): string[] {
  if (INSIDE)
    return INSIDE.getAssetKeys().flatMap(name =>
      name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : [],
    )
  const root = packageFile(folder)
  return readdirSync(root, { recursive: true, withFileTypes: true }).flatMap(entry =>
    entry.isFile() ? relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/') : [],
  )
}
