import { Readable } from 'node:stream'
import { ANSWERS, type AnswerSchema } from '../contract/control/answers.ts'
import {
  type AnswerTo,
  type AnyInput,
  type InputOf,
  type JsonCall,
  type MediaCall,
  requestLine,
} from '../contract/control/call.ts'
import type { ControlCall } from '../contract/control/operations.ts'
import { formatDuration } from '../contract/durations.ts'
import { isRecord } from '../contract/json.ts'
import { type Address, join, readBaseUrl } from './address.ts'
import { answerOf } from './answer.ts'
import { kindOf } from './answer-shape.ts'
import { Call } from './call.ts'
import { callSite, withCallSite } from './caller.ts'
import { type ControlTransport, controlTransport, unreachable } from './control-transport.ts'
import { ControlError, ControlUnreachableError } from './errors.ts'
import type { Answer, OpenAnswer, Upload, WireRequest } from './transport/transport.ts'

export interface ControlAddress {
  /** The URL up to and including `/_paysim`. */
  readonly controlUrl: string
  readonly token: string
}

/** All records of an account may be in one answer. */
const LONGEST_ANSWER: AnswerLimits = { bytes: 256 * 1024 * 1024, ms: 60_000 }
/** An archive is written to a file as it arrives. */
const LONGEST_ARCHIVE: AnswerLimits = { bytes: 2 * 1024 * 1024 * 1024, ms: 600_000 }
const LONGEST_READ_MS = 60_000
/** An advance may take long. */
const LONGEST_CHANGE_MS = 3_600_000

export interface ControlSettings {
  readonly transport?: ControlTransport
  /** Replaces the limits of all answers. Only tests need this. */
  readonly limits?: AnswerLimits
  /** Aborts all calls in progress. */
  readonly signal?: AbortSignal
}

interface Sending {
  /** Their names are in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly upload?: Upload | Promise<Upload> | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ListBody<T> {
  data: T[]
  /** For lists that have pages. */
  has_more?: boolean
  next_cursor?: string | null
  /** For a history: the number of the oldest entry that is kept, if it is not the first. */
  kept_from?: number
}

/** A call on its way. */
interface Sent extends Sending {
  readonly call: ControlCall
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** The types of an input are checked where it is given. */
function sent(call: ControlCall, input: unknown, { headers: own, upload, signal }: Sending = {}): Sent {
  const { params, query, body, headers } = (input ?? {}) as AnyInput
  const { method, path } = requestLine(call, { params, query })
  return { method, path, call, body, headers: own ?? (headers && givenOf(headers)), upload, signal }
}

const givenOf = (headers: NonNullable<AnyInput['headers']>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), value]],
    ),
  )

/** Calls of the control surface, on separate connections, which close with it. */
export class ControlCaller {
  readonly #address: ControlAddress
  #base: Address | undefined
  readonly #transport: ControlTransport
  readonly #signal: AbortSignal | undefined
  readonly #limits: AnswerLimits | undefined

  constructor(
    address: ControlAddress,
    { transport = controlTransport(), signal, limits }: ControlSettings = {},
  ) {
    this.#address = address
    this.#transport = transport
    this.#signal = signal
    this.#limits = limits
  }

  /** Gives the parsed body of a success; undefined if there is none. */
  call<C extends JsonCall>(call: C, ...[input]: InputOf<C>): Call<AnswerTo<C>> {
    return new Call(withCallSite(callSite(), this.#json<AnswerTo<C>>(sent(call, input))))
  }

  /** A call whose body is not JSON in memory, such as a form with a file. */
  upload<C extends JsonCall>(
    call: C,
    input: Pick<AnyInput, 'params'>,
    upload: Upload | Promise<Upload>,
  ): Call<AnswerTo<C>> {
    return new Call(withCallSite(callSite(), this.#json<AnswerTo<C>>(sent(call, input, { upload }))))
  }

  /** The whole body of a success. `media` is how its content type must begin. */
  async bytes<C extends MediaCall>(
    call: C,
    media: 'image/' | 'text/plain',
    ...[input]: InputOf<C>
  ): Promise<Buffer> {
    const request = sent(call, input)
    const { body, headers } = await this.#open(request)
    demandMedia(request, headers, media)
    return this.#whole(body, request)
  }

  /** A stream of events as they arrive. It does not end. */
  async stream<C extends MediaCall>(
    call: C,
    sending: Pick<Sending, 'signal' | 'headers'>,
    ...[input]: InputOf<C>
  ) {
    const request = sent(call, input, sending)
    const { body, headers } = await this.#open(request)
    demandMedia(request, headers, 'text/event-stream')
    return body
  }

  /** An archive as it arrives, because it may be larger than the longest string. */
  async archive(account: string): Promise<Readable> {
    const request = sent('GET /accounts/:account/export', { params: { account } })
    const { body } = await this.#open(request)
    return archiveBody(this.#limited(body, LONGEST_ARCHIVE), lineOf(request))
  }

  async #json<T>(request: Sent): Promise<Answer<T>> {
    const own = await this.#ask(request)
    if (own) return own as Answer<T>
    const answer = await this.#read(await this.#open(request), request)
    if (answer.body === undefined && answer.text !== '')
      throw new ControlUnreachableError(
        `${lineOf(request)} was not answered with JSON: ${answer.text.slice(0, 100)}`,
      )
    const problem = answerProblem(request.call, answer.body)
    if (problem !== undefined) throw foreign(request, problem)
    return answer as Answer<T>
  }

  /** The answer of a simulator of this process, which needs no check. */
  async #ask(request: Sent): Promise<Answer | undefined> {
    const signal = request.signal ?? this.#signal
    if (!this.#transport.ask || request.upload) return undefined
    const wire = this.#onTheWire(request)
    signal?.throwIfAborted()
    const asked = this.#transport.ask(wire)
    const answer = await (signal ? unlessAborted(asked, signal) : asked)
    if (!answer) return undefined
    const read = answerOf(answer, 1)
    if (answer.status >= 300) throw new ControlError(lineOf(request), read)
    return read
  }

  #limited(body: OpenAnswer['body'], limits: AnswerLimits): OpenAnswer['body'] {
    return limitedBody(body, this.#limits ?? limits, new URL(this.#address.controlUrl).origin)
  }

  /** A success, with its body not read yet. */
  async #open(request: Sent): Promise<OpenAnswer> {
    const answer = await this.#transport.open(this.#onTheWire(request, await request.upload), {
      signal: request.signal ?? this.#signal,
      longestMs: this.#limits?.ms ?? (request.method === 'GET' ? LONGEST_READ_MS : LONGEST_CHANGE_MS),
    })
    if (answer.status < 300) return answer
    throw new ControlError(lineOf(request), await this.#read(answer, request))
  }

  async #read({ status, headers, body }: OpenAnswer, request: Sent) {
    const text = (await this.#whole(body, request)).toString('utf8')
    return answerOf({ status, headers, text }, 1)
  }

  async #whole(body: OpenAnswer['body'], { method, signal = this.#signal }: Sent): Promise<Buffer> {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of this.#limited(body, LONGEST_ANSWER)) chunks.push(chunk)
      return Buffer.concat(chunks)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (cause instanceof ControlUnreachableError) throw cause
      throw unreachable(cause, this.#address.controlUrl, { method, sent: true })
    }
  }

  #onTheWire({ method, path, body, headers }: Sent, upload?: Upload): WireRequest {
    this.#base ??= readBaseUrl(this.#address.controlUrl)
    const payload = upload ?? (body === undefined ? undefined : JSON.stringify(body))
    const described =
      typeof payload === 'string'
        ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }
        : {}
    return {
      method,
      origin: this.#base.origin,
      path: join(this.#base, path),
      headers: { authorization: `Bearer ${this.#address.token}`, ...headers, ...described },
      body: payload,
    }
  }

  close(): Promise<void> {
    return this.#transport.close()
  }
}

const lineOf = ({ method, path }: Sent) => `${method} ${path}`

function demandMedia(request: Sent, headers: OpenAnswer['headers'], media: string): void {
  const type = headers['content-type'] ?? 'of no type'
  if (!type.startsWith(media)) throw foreign(request, `it is ${type}, not ${media.replace(/\/$/, '')}`)
}

const foreign = (request: Sent, problem: string) =>
  new ControlUnreachableError(
    `${lineOf(request)} was not answered by paysim: ${problem}; is it a control surface, and of this version?`,
  )

/**
 * The problem of an answer of the control surface, if it has one. Only members and their kinds are checked. That is
 * enough to recognise the answer of another server, and to use the answer without more checks.
 */
function answerProblem(call: ControlCall, body: unknown): string | undefined {
  const schema = ANSWERS.calls[call]
  if (schema === null) return body === undefined ? undefined : wrong(body, '', 'nothing')
  return schema && problemIn(body, schema, '')
}

function problemIn(value: unknown, schema: AnswerSchema, at: string): string | undefined {
  const { named, type, properties = {}, optional = [], values, items, anyOf } = schema
  if (named !== undefined) return problemIn(value, ANSWERS.named[named] ?? {}, at)
  if (anyOf) return problemInAny(value, anyOf, at)
  switch (type) {
    case undefined:
      return undefined
    case 'array':
      if (!Array.isArray(value)) return wrong(value, at, 'a list')
      return items && first(value, (item, nth) => problemIn(item, items, below(at, nth)))
    case 'object':
      if (!isRecord(value)) return wrong(value, at, 'an object')
      if (values)
        return first(Object.entries(value), ([name, member]) => problemIn(member, values, below(at, name)))
      return first(Object.entries(properties), ([name, member]) =>
        value[name] === undefined && optional.includes(name)
          ? undefined
          : problemIn(value[name], member, below(at, name)),
      )
    case 'null':
      return value === null ? undefined : wrong(value, at, 'null')
    default: {
      const kind = type === 'integer' ? 'number' : type
      return typeof value === kind ? undefined : wrong(value, at, `a ${kind}`)
    }
  }
}

/** Of one of several kinds of records, all that is known is that it is a record. */
function problemInAny(value: unknown, schemas: readonly AnswerSchema[], at: string): string | undefined {
  const present = schemas.map(resolved).filter(({ type }) => type !== 'null')
  if (value === null && present.length < schemas.length) return undefined
  const [one = {}, ...others] = present
  if (others.length === 0) return problemIn(value, one, at)
  return others.every(({ type }) => type === one.type)
    ? problemIn(value, one.type === undefined ? {} : { type: one.type }, at)
    : undefined
}

const resolved = (schema: AnswerSchema): AnswerSchema =>
  schema.named === undefined ? schema : (ANSWERS.named[schema.named] ?? {})

function first<T>(all: readonly T[], problem: (one: T, nth: number) => string | undefined) {
  for (const [nth, one] of all.entries()) {
    const found = problem(one, nth)
    if (found !== undefined) return found
  }
  return undefined
}

const below = (at: string, name: string | number) => (at === '' ? String(name) : `${at}.${name}`)

function wrong(value: unknown, at: string, wanted: string): string {
  if (value === undefined) return at === '' ? `it is empty, not ${wanted}` : `${at} is missing`
  return `${at || 'it'} is ${kindOf(value)}, not ${wanted}`
}

/** How much a control surface may send, and for how long. */
interface AnswerLimits {
  readonly bytes: number
  readonly ms: number
}

/**
 * The same body with a limit for its bytes and for its time. An endless body would fill the memory or the disk, and a
 * body that arrives byte by byte never causes a timeout between two pieces.
 */
const limitedBody = (body: Readable, limits: AnswerLimits, origin: string): Readable =>
  Readable.from(limited(body, limits, origin), { objectMode: false })

async function* limited(body: Readable, { bytes, ms }: AnswerLimits, origin: string): AsyncGenerator<Buffer> {
  const tooLong = (what: string) => new ControlUnreachableError(`${origin} ${what}; is it a control surface?`)
  const timer = setTimeout(
    () => body.destroy(tooLong(`did not answer in full within ${formatDuration(ms)}`)),
    ms,
  )
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > bytes) throw tooLong(`sends an endless answer: more than ${bytes / 1024 / 1024} MiB arrived`)
      yield chunk
    }
  } finally {
    clearTimeout(timer)
  }
}

const BEGIN = /^\s*\{\s*"paysim"\s*:\s*\d/
/** This many bytes are enough to recognize an archive. */
const ENOUGH_BYTES = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** In JSON, all characters up to this one are white space. */
const SPACE = 0x20

/** The bytes of an archive as they arrive. It may not fit into memory, so only its start and brackets are checked. */
export const archiveBody = (body: Readable, call: string): Readable =>
  Readable.from(checked(body, call), { objectMode: false })

async function* checked(body: Readable, call: string): AsyncGenerator<Buffer> {
  const wrong = (what: string) =>
    new ControlUnreachableError(`${call} was not answered with an archive: ${what}; is it a control surface?`)
  const brackets = new Brackets()
  for await (const bytes of withBeginning(body)) {
    if (brackets.areUnread && !BEGIN.test(bytes.toString('latin1')))
      throw wrong('it does not begin with {"paysim":1')
    if (!brackets.read(bytes)) throw wrong('there is more after its end')
    yield bytes
  }
  if (!brackets.areClosed) throw wrong('it has no end')
}

/** The same bytes, but the first piece is long enough to recognize an archive, unless the body is shorter. */
async function* withBeginning(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begin: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of body) {
    if (begin === undefined) yield chunk
    else {
      begin = Buffer.concat([begin, chunk])
      if (begin.length < ENOUGH_BYTES) continue
      yield begin
      begin = undefined
    }
  }
  if (begin !== undefined) yield begin
}

/** Counts the brackets of a JSON text that are open. */
class Brackets {
  #open = 0
  #isBegun = false
  #isInText = false
  #isEscape = false

  /** False if there is more after the last bracket. It must be fast, because an archive may have gigabytes. */
  read(bytes: Buffer): boolean {
    let open = this.#open
    let isInText = this.#isInText
    let isEscape = this.#isEscape
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (isInText) {
        if (isEscape) isEscape = false
        else if (byte === QUOTE) isInText = false
        else isEscape = byte === BACKSLASH
        continue
      }
      if (byte <= SPACE) continue
      if (open === 0 && this.#isBegun) return false
      this.#isBegun = true
      if (byte === QUOTE) isInText = true
      else if (byte === 0x7b || byte === 0x5b) open++
      else if (byte === 0x7d || byte === 0x5d) open--
    }
    this.#open = open
    this.#isInText = isInText
    this.#isEscape = isEscape
    return true
  }

  /** Whether nothing but white space was read so far. */
  get areUnread(): boolean {
    return !this.#isBegun
  }

  get areClosed(): boolean {
    return this.#isBegun && this.#open === 0
  }
}

/** Rejects with the reason of an abort that comes before the answer. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
