import { text } from 'node:stream/consumers'
import { UsageError } from '../errors/cli-errors.ts'
import { textOfFile } from '../named-file.ts'

/** The value in a YAML or JSON file, or in stdin if the path is `-`. */
export async function readDocument(path: string): Promise<unknown> {
  return parseDocument(path === '-' ? await text(process.stdin) : await contentsOf(path), path)
}

/** The value in a text that was already read. */
export async function parseDocument(text: string, path: string): Promise<unknown> {
  const name = path === '-' ? 'stdin' : path
  const written = text.replace(/^\uFEFF/, '')
  if (written.trim() === '') throw new UsageError(`${name} is empty`)
  try {
    return await parse(written, path)
  } catch (cause) {
    const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new UsageError(`${name}: ${line.replace(/:$/, '')}`)
  }
}

/** The list in a document, which may stand under a name. */
export async function readList(path: string, name: string): Promise<readonly unknown[]> {
  const value = await readDocument(path)
  const list = typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : value
  if (Array.isArray(list)) return list
  throw new UsageError(`${path === '-' ? 'stdin' : path}: expected a list, or {${name}: […]}`)
}

async function contentsOf(path: string): Promise<string> {
  try {
    return await textOfFile(path)
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/** JSON is YAML too, but its parser need not be loaded. */
async function parse(written: string, path: string): Promise<unknown> {
  if (path.endsWith('.json')) return JSON.parse(written)
  if (/^\s*[[{]/.test(written)) {
    try {
      return JSON.parse(written)
    } catch {
      // A list or an object in the short form of YAML begins the same way.
    }
  }
  return (await import('../../files/yaml-document.ts')).valueOfYaml(written)
}
