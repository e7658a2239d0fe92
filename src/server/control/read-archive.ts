import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Archive as ArchiveBody } from '../../contract/control/requests.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { ENVIRONMENTS, type Environment } from '../../contract/statuses.ts'
import { validator } from '../../contract/validation.ts'
import { compileFor, EntryChecker } from '../../domain/check-entries.ts'
import type { Entry } from '../../domain/events.ts'
import type { Archive } from '../../engine/account/replace-history.ts'
import { digestOf } from '../../engine/store/image-store.ts'
import { Slice } from '../../engine/time/scheduling.ts'
import { badBody, demandUncoded, isJson, parseJson, unsupportedType } from '../http/read-body.ts'
import { refuse, refuseProblems } from '../refusal.ts'

const MEBIBYTE = 1024 * 1024
const MOST_MIB = 512

const tooLarge = () => refuse('payload_too_large', `The archive is over ${MOST_MIB} MiB`)

/** An archive may be larger than any other request, so it is read and checked in parts, between other requests. */
export async function readArchive(request: IncomingMessage, environment: Environment): Promise<Archive> {
  const { 'content-type': type, 'content-length': length } = request.headers
  if (!isJson(type)) throw unsupportedType('application/json')
  demandUncoded(request)
  if (Number(length ?? 0) > MOST_MIB * MEBIBYTE) throw tooLarge()
  try {
    return (await readParts(textOf(request, () => request.destroyed && !request.complete))).finish(
      environment,
    )
  } catch (cause) {
    // What is left is read and discarded, so that the refusal reaches the caller.
    request.resume()
    throw cause
  }
}

/** The same of a file, which says itself which environment it is of. */
export async function readArchiveFile(
  file: Readable,
): Promise<{ archive: Archive; environment: Environment }> {
  const draft = await readParts(textOf(file, () => false))
  const environment = ENVIRONMENTS.find(name => draft.account.endsWith(`.${name}`)) ?? 'test'
  return { archive: draft.finish(environment), environment }
}

async function readParts(texts: AsyncIterable<string>): Promise<ArchiveDraft> {
  const draft = new ArchiveDraft()
  const parts = new JsonParts({ entries: '[', images: '{' })
  const slice = new Slice()
  try {
    for await (const text of texts) {
      for (const part of parts.read(text)) {
        for (const _ of draft.add(part)) if (slice.isOver) await slice.next()
        if (slice.isOver) await slice.next()
      }
      if (slice.isOver) await slice.next()
    }
    parts.end()
    return draft
  } catch (cause) {
    throw cause instanceof BrokenJsonError ? badBody(cause.message) : cause
  }
}

async function* textOf(source: Readable, endedEarly: () => boolean): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  try {
    for await (const bytes of source.iterator({ destroyOnReturn: false })) {
      size += bytes.length
      if (size > MOST_MIB * MEBIBYTE) throw tooLarge()
      yield decoder.decode(bytes, { stream: true })
    }
    yield decoder.decode()
  } catch (cause) {
    if (cause instanceof TypeError) throw badBody('must be UTF-8')
    throw endedEarly() ? badBody('ended too early') : cause
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

  get account(): string {
    return String(this.#frame.account)
  }

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
    const entry = parseJson(text)
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

  finish(environment: Environment): Archive {
    const { account, seed } = this.#frame
    const problems = [...checkFrame(this.#frame)]
    if (typeof account === 'string' && !account.endsWith(`.${environment}`))
      problems.push({
        field: 'account',
        message: `must be an account of the environment ${environment}: ${account}`,
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

/**
 * Splits a large JSON object into its members, and some of these into their own: so it is parsed a part at a time, and
 * other work goes on between the parts.
 */
export type Part =
  /** A member that is not split. */
  | { readonly kind: 'member'; readonly text: string }
  /** The items of this member follow. */
  | { readonly kind: 'opened'; readonly name: string }
  /** An item: a value of a list, or a member of an object. */
  | { readonly kind: 'item'; readonly name: string; readonly text: string }

/** The text is not valid: it is not JSON, or a part of it is larger than any part may be. */
export class BrokenJsonError extends Error {
  constructor(message = 'must be well-formed JSON') {
    super(message)
  }
}

/**
 * A part is parsed in one piece, and all other work waits for it. The time depends on the number of its values more than on
 * its length.
 */
const MOST_VALUES = 100_000
/** The longest item is an image, or the rules of an account: a request for either has at most 8 MiB. */
const LONGEST = { object: 64 * 1024, split: 16 * 1024 * 1024, elsewhere: 1024 }
/** Longer white space is not kept. */
const MOST_SPACES = 64

const SPACES = new Set([0x20, 0x0a, 0x0d, 0x09])

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const COMMA = 0x2c
const CLOSE_OF: Readonly<Record<string, string>> = { '[': ']', '{': '}' }

/** The bracket that opens each member to split. */
type Split = Readonly<Record<string, '[' | '{'>>

export class JsonParts {
  /** What was read of the part that is not complete yet. */
  #begun: string[] = []
  #length = 0
  /** How many values it has, at least. */
  #values = 0
  /** Whether it has a bracket at its top. */
  #isBracketed = false
  /** How much white space came last. */
  #spaces = 0
  #quoted = false
  #escaped = false
  /** Open brackets inside the part. */
  #depth = 0
  #place: 'before' | 'object' | 'split' | 'behind split' | 'after' = 'before'
  #split = { name: '', close: '' }
  /** Whether a comma came before: then a part must follow. */
  #awaited = false

  constructor(private readonly split: Split) {}

  /** The parts that are complete with this text. */
  *read(text: string): Generator<Part> {
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#quoted) {
        if (this.#escaped) this.#escaped = false
        else if (code === BACKSLASH) this.#escaped = true
        else if (code === QUOTE) this.#quoted = false
        continue
      }
      if (code <= 0x20 && SPACES.has(code)) {
        if (++this.#spaces <= MOST_SPACES) continue
        this.#keep(text.slice(from, at))
        from = at + 1
        continue
      }
      this.#spaces = 0
      if (code === QUOTE) this.#quoted = true
      else if (OPENING.has(code)) {
        this.#keep(text.slice(from, at))
        from = at
        const opened = this.#open(text[at] ?? '')
        if (opened === 'part') {
          this.#depth++
          this.#count()
        } else {
          from = at + 1
          if (opened !== 'object') yield opened
        }
      } else if (CLOSING.has(code)) {
        if (this.#depth > 0) this.#depth--
        else {
          this.#keep(text.slice(from, at))
          from = at + 1
          yield* this.#close(text[at] ?? '')
        }
      } else if (code === COMMA && this.#depth === 0) {
        this.#keep(text.slice(from, at))
        from = at + 1
        yield* this.#part(true)
      } else if (code === COMMA) this.#count()
    }
    this.#keep(text.slice(from))
  }

  /** Call it at the end of the text. */
  end(): void {
    if (this.#place !== 'after' || this.#taken().trim() !== '') throw new BrokenJsonError()
  }

  #keep(text: string): void {
    if (text === '') return
    this.#begun.push(text)
    this.#length += text.length
    const place = this.#place
    const most = LONGEST[place === 'object' || place === 'split' ? place : 'elsewhere']
    if (this.#length > most) throw new BrokenJsonError(`has a part of more than ${most} characters`)
  }

  #count(): void {
    if (++this.#values > MOST_VALUES)
      throw new BrokenJsonError(`has a part of more than ${MOST_VALUES} values`)
  }

  #taken(): string {
    const text = this.#begun.join('')
    this.#begun = []
    this.#length = 0
    this.#values = 0
    this.#isBracketed = false
    return text
  }

  #open(bracket: string): Part | 'part' | 'object' {
    if (this.#depth > 0) return 'part'
    if (this.#place === 'before') {
      if (bracket !== '{' || this.#taken().trim() !== '') throw new BrokenJsonError()
      this.#place = 'object'
      return 'object'
    }
    // A value has one bracket at its top, so a second one is not JSON.
    if (this.#isBracketed) throw new BrokenJsonError()
    this.#isBracketed = true
    if (this.#place !== 'object') return 'part'
    const name = /^\s*"(\w+)"\s*:\s*$/.exec(this.#begun.join(''))?.[1]
    if (name === undefined || this.split[name] !== bracket) return 'part'
    this.#taken()
    this.#place = 'split'
    this.#split = { name, close: CLOSE_OF[bracket] ?? '' }
    this.#awaited = false
    return { kind: 'opened', name }
  }

  *#close(bracket: string): Generator<Part> {
    yield* this.#part(false)
    if (this.#place === 'split' && bracket === this.#split.close) this.#place = 'behind split'
    else if ((this.#place === 'object' || this.#place === 'behind split') && bracket === '}')
      this.#place = 'after'
    else throw new BrokenJsonError()
  }

  /** The end of a part; `comma` if another one must follow. */
  *#part(comma: boolean): Generator<Part> {
    const text = this.#taken()
    const isEmpty = text.trim() === ''
    switch (this.#place) {
      case 'behind split':
        // The member was read, item by item.
        if (!isEmpty) throw new BrokenJsonError()
        if (comma) this.#place = 'object'
        break
      case 'object':
      case 'split':
        if (isEmpty && (comma || this.#awaited)) throw new BrokenJsonError()
        if (!isEmpty)
          yield this.#place === 'object'
            ? { kind: 'member', text }
            : { kind: 'item', name: this.#split.name, text }
        break
      default:
        throw new BrokenJsonError()
    }
    this.#awaited = comma
  }
}
