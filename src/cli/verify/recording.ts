import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDecisionKey } from '../../contract/decisions.ts'
import { isRecord } from '../../contract/json.ts'
import { messageOf, UsageError } from '../errors/cli-errors.ts'
import { cannotWrite, readObjectFile } from '../named-file.ts'
import { codeOf, isSuccess } from '../probe/inquiry.ts'
import type { Inquired } from '../probe/probe.ts'
import type { Exchange } from '../probe/session.ts'
import { type Answered, COMPARED_HEADERS, type Recorded, type Recording } from './compare.ts'

const CHARACTERS_KEPT = 200

export function recordingOf({ inquiry, found, session }: Inquired): Recording {
  const requests: Record<string, Recorded> = {}
  for (const [name, outcome] of inquiry.outcomes)
    requests[stableName(name)] =
      typeof outcome === 'string' ? { unsent: outcome } : recorded(outcome, session.hide)
  const values = found.flatMap(({ key, reading }) => ('value' in reading ? [[key, reading.value]] : []))
  return { requests, decisions: Object.fromEntries(values) }
}

/** The reads of a payment until it has ended have its id; the last one is compared. */
const stableName = (name: string) => (name.startsWith('cancelled ') ? 'after a cancellation' : name)

function recorded({ answer, evidence }: Exchange, hide: (text: string) => string): Answered {
  const { status, headers, body, text } = answer
  const shown = hide(text)
  return {
    request: evidence.request,
    at: evidence.at,
    status,
    ...(isSuccess(answer) || typeof body !== 'object' || body === null ? {} : { code: codeOf(answer) }),
    headers: Object.fromEntries(
      COMPARED_HEADERS.flatMap(name => (headers[name] === undefined ? [] : [[name, hide(headers[name])]])),
    ),
    body:
      typeof body === 'object' && body !== null ? kept(JSON.parse(shown)) : shown.slice(0, CHARACTERS_KEPT),
  }
}

/** An address may open a page, and an image is long: the start of both is enough to compare. */
function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kept)
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, kept(inner)]))
  if (typeof value !== 'string') return value
  const [origin] = /^https?:\/\/[^/?#]+/i.exec(value) ?? []
  if (origin !== undefined)
    return origin.length < value.length ? `${origin.replace(/\/\/.*@/, '//')}/…` : value
  return value.length > CHARACTERS_KEPT ? `${value.slice(0, CHARACTERS_KEPT)}…` : value
}

/** The file that says that the others are a recording. */
const INDEX = 'verify.json'
const FORMAT = 1

const fileOf = (name: string) => `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`

/**
 * Refuses a folder that has anything but an earlier recording, before anything is sent. Links are not followed, since
 * somebody else may have made them.
 */
export async function demandFolder(folder: string): Promise<void> {
  const refuse = (why: string) => new UsageError(`--record ${folder}: ${why}; give a new or an empty folder`)
  const facts = await lstat(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw refuse(cause.message)
  })
  if (facts && !facts.isDirectory()) throw refuse('it is not a folder')
  try {
    if (!facts) await mkdir(folder)
    // Somebody who may not write learns it now.
    await writeFile(join(folder, TEMPORARY), '', { flag: 'wx' })
    await rm(join(folder, TEMPORARY))
  } catch (cause) {
    throw refuse(messageOf(cause))
  }
  const entries = await readdir(folder, { withFileTypes: true })
  const known = await filesOf(folder)
  const other = entries.find(entry => !entry.isFile() || !known.includes(entry.name))
  if (other) throw refuse(`it has ${other.name}, which is no part of a recording`)
}

/** The files of an earlier recording; none if there is no index. */
async function filesOf(folder: string): Promise<string[]> {
  const index = await lstat(join(folder, INDEX)).catch(() => undefined)
  if (!index?.isFile()) return []
  const { requests } = await readIndex(folder)
  return [INDEX, ...Object.values(requests)]
}

const TEMPORARY = '.paysim-verify.tmp'

/** Writes a file for each request that was answered, and an index. Earlier files of other requests go. */
export async function keepRecording(folder: string, { requests, decisions }: Recording): Promise<void> {
  const files = new Map<string, unknown>()
  const names: Record<string, string> = {}
  for (const [name, recorded] of Object.entries(requests)) {
    if (!('status' in recorded)) continue
    names[name] = fileOf(name)
    files.set(fileOf(name), recorded)
  }
  const earlier = await filesOf(folder)
  files.set(INDEX, { format: FORMAT, decisions, requests: names })
  await write(folder, files, earlier).catch(cannotWrite(folder, '--record'))
}

async function write(folder: string, files: ReadonlyMap<string, unknown>, earlier: readonly string[]) {
  const temporary = join(folder, TEMPORARY)
  for (const [file, value] of files) {
    await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { flag: 'wx' })
    await rename(temporary, join(folder, file))
  }
  for (const file of earlier) if (!files.has(file)) await rm(join(folder, file), { force: true })
}

interface Index {
  readonly decisions: Readonly<Record<string, string>>
  /** The file of each request. */
  readonly requests: Readonly<Record<string, string>>
}

/** The files may come from anywhere, so none but those of a recording are opened. */
async function readIndex(folder: string): Promise<Index> {
  const { format, decisions, requests } = await readObjectFile(join(folder, INDEX))
  const refuse = (why: string) => new UsageError(`${join(folder, INDEX)}: ${why}`)
  if (format !== FORMAT) throw refuse(`its format is ${JSON.stringify(format)}, not ${FORMAT}`)
  if (!isRecord(decisions) || !isRecord(requests)) throw refuse('decisions or requests are missing')
  const wrong = Object.entries(requests).find(([name, file]) => file !== fileOf(name))
  if (wrong) throw refuse(`the file of ${wrong[0]} must be ${fileOf(wrong[0])}`)
  const values = Object.entries(decisions).filter(
    ([key, value]) => isDecisionKey(key) && typeof value === 'string',
  )
  return {
    decisions: Object.fromEntries(values) as Record<string, string>,
    requests: requests as Record<string, string>,
  }
}

/** Reads what `keepRecording` wrote. */
export async function readRecording(folder: string): Promise<Recording> {
  const { decisions, requests } = await readIndex(folder)
  const recorded: [string, Answered][] = []
  for (const [name, file] of Object.entries(requests)) {
    const answer = await readObjectFile(join(folder, file))
    if (!isAnswered(answer))
      throw new UsageError(`${join(folder, file)}: request, at, status, headers or body are missing`)
    recorded.push([name, answer])
  }
  return { requests: Object.fromEntries(recorded), decisions }
}

const isAnswered = (value: Readonly<Record<string, unknown>>): value is Record<string, unknown> & Answered =>
  typeof value.request === 'string' &&
  typeof value.at === 'string' &&
  typeof value.status === 'number' &&
  ['string', 'undefined'].includes(typeof value.code) &&
  isRecord(value.headers) &&
  Object.values(value.headers).every(header => typeof header === 'string') &&
  'body' in value
