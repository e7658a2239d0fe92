import type { IncomingMessage } from 'node:http'
import { Archive as ArchiveBody } from '../../contract/control/requests.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { validator } from '../../contract/validation.ts'
import { compileFor, EntryChecker } from '../../domain/check-entries.ts'
import type { Entry } from '../../domain/events.ts'
import { digestOf } from '../../engine/image-store.ts'
import { entryInCurrentForm } from '../../engine/journal-format.ts'
import { Slice } from '../../engine/other-work.ts'
import type { Archive } from '../../engine/replace-history.ts'
import { badBody, demandUncoded, isJson, parseJson, unsupportedType } from '../read-body.ts'
import { refuse, refuseProblems } from '../refusal.ts'
import { BrokenJsonError, JsonParts, type Part } from './json-parts.ts'

const MEBIBYTE = 1024 * 1024
const MOST_MIB = 512

const tooLarge = () => refuse('payload_too_large', `The archive is over ${MOST_MIB} MiB`)

/** An archive may be larger than any other request, so it is read and checked in parts, between other requests. */
export async function readArchive(request: IncomingMessage, environment: string): Promise<Archive> {
  const { 'content-type': type, 'content-length': length } = request.headers
  if (!isJson(type)) throw unsupportedType('application/json')
  demandUncoded(request)
  if (Number(length ?? 0) > MOST_MIB * MEBIBYTE) throw tooLarge()
  const draft = new ArchiveDraft(environment)
  const parts = new JsonParts({ entries: '[', images: '{' })
  try {
    const slice = new Slice()
    for await (const text of textOf(request)) {
      for (const part of parts.read(text)) {
        for (const _ of draft.add(part)) if (slice.isOver) await slice.next()
        if (slice.isOver) await slice.next()
      }
      if (slice.isOver) await slice.next()
    }
    parts.end()
  } catch (cause) {
    // What is left is read and discarded, so that the refusal reaches the caller.
    request.resume()
    throw cause instanceof BrokenJsonError ? badBody(cause.message) : cause
  }
  return draft.finish()
}

async function* textOf(request: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  try {
    for await (const bytes of request.iterator({ destroyOnReturn: false })) {
      size += bytes.length
      if (size > MOST_MIB * MEBIBYTE) throw tooLarge()
      yield decoder.decode(bytes, { stream: true })
    }
    yield decoder.decode()
  } catch (cause) {
    if (cause instanceof TypeError) throw badBody('must be UTF-8')
    throw request.destroyed && !request.complete ? badBody('ended too early') : cause
  }
}

const checkFrame = validator(ArchiveBody)

/** Without a prototype, a member called `__proto__` is an unknown member like any other, and is refused. */
const withoutPrototype = (): Record<string, unknown> => Object.create(null)

class ArchiveDraft {
  /** The archive without its entries and the bytes of its images. */
  readonly #frame = withoutPrototype()
  #checker = new EntryChecker()
  #entries: Entry[] = []
  readonly #images = new Map<string, Buffer>()
  readonly #problems: FieldProblem[] = []
  #members = 0
  /** How many images are not even text. */
  #notText = 0

  constructor(private readonly environment: string) {}

  /** Yields where other work may go first. */
  *add(part: Part): Generator<void> {
    if (part.kind !== 'item' && ++this.#members > MOST_MEMBERS) throw badBody('has too many members')
    switch (part.kind) {
      case 'member':
        Object.assign(this.#frame, parseJson(`{${part.text}}`))
        return
      case 'opened':
        this.#open(part.name)
        return
      case 'item':
        if (part.name === 'entries') yield* this.#addEntry(part.text)
        else this.#addImage(part.text)
    }
  }

  #open(name: string): void {
    this.#frame[name] = name === 'entries' ? [] : withoutPrototype()
    if (name === 'images') return this.#images.clear()
    this.#entries = []
    this.#checker = new EntryChecker()
  }

  *#addEntry(text: string): Generator<void> {
    const entry = entryInCurrentForm(parseJson(text))
    yield* compileFor(entry)
    this.#problems.push(...this.#checker.check(entry))
    // If it is not an entry, there is a problem now, and the whole archive is refused.
    this.#entries.push(entry as Entry)
    if (this.#problems.length >= MOST_PROBLEMS) throw refuseProblems(this.#problems)
  }

  #addImage(text: string): void {
    for (const [digest, base64] of Object.entries(parseJson(`{${text}}`) as Record<string, unknown>)) {
      const bytes = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined
      Object.assign(this.#frame.images as object, { [digest]: bytes ? '' : base64 })
      if (!bytes) {
        if (++this.#notText >= MOST_PROBLEMS) throw refuseProblems(checkFrame(this.#frame))
        continue
      }
      if (digestOf(bytes) !== digest)
        this.#problems.push({
          field: `images.${digest}`,
          message: 'must be the bytes whose SHA-256 is its name',
        })
      this.#images.set(digest, bytes)
    }
    if (this.#problems.length >= MOST_PROBLEMS) throw refuseProblems(this.#problems)
  }

  finish(): Archive {
    const { account, seed } = this.#frame
    const problems = [...checkFrame(this.#frame)]
    if (typeof account === 'string' && !account.endsWith(`.${this.environment}`))
      problems.push({
        field: 'account',
        message: `must be an account of the environment ${this.environment}: ${account}`,
      })
    problems.push(...this.#problems)
    if (problems.length > 0) throw refuseProblems(problems)
    return { seed: String(seed), entries: this.#entries, images: this.#images }
  }
}

/** A list of more problems than this would not help anybody. */
const MOST_PROBLEMS = 50
/** An archive has five. */
const MOST_MEMBERS = 50
