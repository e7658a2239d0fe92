import { text } from 'node:stream/consumers'
import { parseDocument } from '../control/read-document.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { textOfFile } from '../named-file.ts'
import { type Body, isObject, merge } from './body.ts'

/** What `--data` may be. Later kinds override earlier ones. */
const KINDS = ['stdin', 'file', 'inline'] as const
type SourceKind = (typeof KINDS)[number]

/** Reads `file` or `@file`, `-` for stdin, or JSON. Of several of one kind, the last one wins. */
export async function readData(sources: readonly string[]): Promise<Body> {
  const ordered = KINDS.flatMap(kind => sources.filter(source => kindOf(source) === kind))
  if (ordered.filter(source => kindOf(source) === 'stdin').length > 1)
    throw new UsageError('--data cannot read stdin twice: give a file for one of them')
  let body: Body = {}
  for (const source of ordered) body = merge(body, await readSource(source))
  return body
}

/** The same for a body that is sent unchanged. `anything`: text that names no file is a body too. */
export async function readBody(source: string, { anything = false } = {}): Promise<string> {
  if (anything && kindOf(source) === 'file' && !source.startsWith('@')) {
    const written = await textOfFile(source).catch(() => undefined)
    return written ?? source
  }
  return textOf(source)
}

function kindOf(source: string): SourceKind {
  if (source === '-' || source === '@-') return 'stdin'
  return source.startsWith('@') || !isInline(source) ? 'file' : 'inline'
}

/** JSON, or text that begins like JSON and is unlikely to be a file name. */
function isInline(source: string): boolean {
  if (/^\s*(?:[[{"]|$)/.test(source)) return true
  try {
    JSON.parse(source)
    return true
  } catch {
    return false
  }
}

const pathOf = (source: string) =>
  kindOf(source) === 'stdin' ? '-' : source.startsWith('@') ? source.slice(1) : source

async function textOf(source: string): Promise<string> {
  const kind = kindOf(source)
  if (kind === 'inline') return source
  if (kind === 'stdin') return text(process.stdin)
  try {
    return await textOfFile(pathOf(source))
  } catch (cause) {
    const hint = source.startsWith('@') ? '' : '. Text that is not JSON is taken for a file name'
    throw new UsageError(
      `cannot read ${pathOf(source)} (--data): ${cause instanceof Error ? cause.message : cause}${hint}`,
    )
  }
}

async function readSource(source: string): Promise<Body> {
  const kind = kindOf(source)
  const written = await textOf(source)
  const value = kind === 'inline' ? parsed(written) : await parseDocument(written, pathOf(source))
  if (isObject(value)) return value
  throw new UsageError(
    `${kind === 'inline' ? '--data' : kind === 'stdin' ? 'stdin' : pathOf(source)} must contain one object`,
  )
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new UsageError(`--data is not valid JSON: ${cause instanceof Error ? cause.message : cause}`)
  }
}
