import { text } from 'node:stream/consumers'
import { UsageFault } from '../faults/usage-fault.ts'
import { readObjectFile } from '../read-file.ts'
import { isObject, merge } from './body-paths.ts'
import type { Body } from './request-fields.ts'

/** What `--data` may be, by how near it is to the command: what is nearer wins. */
const KINDS = ['stdin', 'file', 'inline'] as const
type Kind = (typeof KINDS)[number]

/** `@file`, `-` for stdin, or JSON as it stands. Of several of one kind the later wins. */
export async function readData(sources: readonly string[]): Promise<Body> {
  const ordered = KINDS.flatMap(kind => sources.filter(source => kindOf(source) === kind))
  if (ordered.filter(source => kindOf(source) === 'stdin').length > 1)
    throw new UsageFault('--data - is given twice, and stdin is read once')
  let body: Body = {}
  for (const source of ordered) body = merge(body, await readSource(source))
  return body
}

function kindOf(source: string): Kind {
  if (source === '-' || source === '@-') return 'stdin'
  return source.startsWith('@') ? 'file' : 'inline'
}

async function readSource(source: string): Promise<Body> {
  if (kindOf(source) === 'stdin') return parsed(await text(process.stdin), 'stdin')
  if (kindOf(source) === 'file') return readObjectFile(source.slice(1))
  return parsed(source, '--data')
}

function parsed(json: string, name: string): Body {
  let value: unknown
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const hint = name === 'stdin' ? '' : '; a file is named as @file'
    throw new UsageFault(`${name} holds no JSON: ${cause instanceof Error ? cause.message : cause}${hint}`)
  }
  if (!isObject(value)) throw new UsageFault(`${name} must hold one object`)
  return value
}
