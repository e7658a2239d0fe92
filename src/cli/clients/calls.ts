import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { ControlOperation } from '../../contract/control/operations/operation.ts'
import type { Operation } from '../../contract/operations.ts'
import { named } from '../../contract/schema.ts'

export type Style = 'snake' | 'camel' | 'Pascal'

/**
 * A name in another language, made of letters and digits whatever the text is: `createPayment`, `present-action` and
 * `Idempotency-Key` all have words. One that is taken, such as a word of the language, gets another ending.
 */
export function nameOf(text: string, style: Style, taken: ReadonlySet<string> = new Set()): string {
  const found = text.replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1 ').match(/[A-Za-z0-9]+/g) ?? ['x']
  const words = found.map(word => word.toLowerCase())
  const joined = {
    snake: () => words.join('_'),
    camel: () => words.map((word, index) => (index === 0 ? word : capital(word))).join(''),
    Pascal: () => words.map(word => (ABBREVIATIONS.has(word) ? word.toUpperCase() : capital(word))).join(''),
  }[style]()
  const name = /^[0-9]/.test(joined) ? `${style === 'Pascal' ? 'X' : 'x'}${joined}` : joined
  if (!taken.has(name)) return name
  let count = 2
  const ending = style === 'snake' ? '_' : ''
  if (ending && !taken.has(name + ending)) return name + ending
  while (taken.has(`${name}${count}`)) count += 1
  return `${name}${count}`
}

const ABBREVIATIONS = new Set(['api', 'id', 'qr', 'url'])
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** What a client in another language has to know of the lists of operations: the calls, and the records in them. */
export interface CallLists {
  /** The merchant API. */
  readonly merchant: readonly Call[]
  /** The control surface of one account, with paths below that of the account. */
  readonly account: readonly Call[]
  /** The control surface of the simulator as a whole. */
  readonly simulator: readonly Call[]
  readonly records: readonly Record[]
}

export interface Call {
  /** The operationId. */
  readonly id: string
  readonly summary: string
  readonly method: string
  /** With `:name` for each parameter. */
  readonly path: string
  readonly members: readonly SentMember[]
  /** Whether it sends JSON, which may be without members. */
  readonly hasBody: boolean
  readonly answer: Shape | 'bytes' | 'text' | 'nothing'
}

export interface Record {
  readonly name: string
  readonly members: readonly Member[]
}

export interface Member {
  readonly name: string
  readonly required: boolean
  readonly shape: Shape
}

export interface SentMember extends Member {
  readonly place: 'query' | 'headers' | 'body' | 'form'
}

/** A value on the wire, as far as the types of every language can say it. */
export type Shape = (
  | { readonly kind: 'text'; readonly words?: readonly string[] }
  | { readonly kind: 'integer' | 'number' | 'boolean' | 'bytes' | 'any' }
  | { readonly kind: 'list' | 'map'; readonly of: Shape }
  | { readonly kind: 'record'; readonly name: string }
) & { readonly nullable?: true }

export interface Operations {
  readonly merchant: readonly Operation[]
  readonly resources: Readonly<{ [name: string]: TSchema }>
  /** By method and path. */
  readonly control: Readonly<{ [call: string]: ControlOperation }>
}

const ACCOUNT = '/accounts/:account'

/** `taken` are names that no record may have. */
export function readCalls(
  { merchant, resources, control }: Operations,
  taken: ReadonlySet<string>,
): CallLists {
  const shapes = new Shapes(taken)
  const resource = (name: string) => named<TSchema>(name, resources[name] ?? Type.Unknown())
  // A record has its name also where a schema leaves it out, so all names are collected first.
  shapes.learn(Object.keys(resources).map(resource))
  shapes.learn(Object.values(control).map(({ body, answers }) => [body, answers]))
  // What a payment is made with comes first, so that its records are named after that.
  const ofMerchant = merchant.map(operation =>
    merchantCall(operation, shapes, resource(operation.success.resource)),
  )
  const calls = Object.entries(control)
    .filter(([, { answers }]) => !isStream(answers))
    .map(([call, operation]) => controlCall(call, operation, shapes))
  const isOfAccount = ({ path }: Call) => path.startsWith(`${ACCOUNT}/`)
  return {
    merchant: ofMerchant,
    account: calls.filter(isOfAccount).map(call => ({ ...call, path: call.path.slice(ACCOUNT.length) })),
    simulator: calls.filter(call => !isOfAccount(call)),
    records: shapes.records,
  }
}

const FILE: SentMember = { name: 'file', required: true, shape: { kind: 'bytes' }, place: 'form' }
const IDEMPOTENCY_KEY: SentMember = {
  name: 'Idempotency-Key',
  required: false,
  shape: { kind: 'text' },
  place: 'headers',
}

function merchantCall(operation: Operation, shapes: Shapes, answer: TSchema): Call {
  const { id, summary, method, path, query, json, multipart, idempotencyKey } = operation
  const members: SentMember[] = [
    // Pages are numbered by text on the wire only.
    ...sent('query', shapes.members(query, id)).map(member =>
      member.name === 'limit' ? { ...member, shape: { kind: 'integer' as const } } : member,
    ),
    ...sent('body', shapes.members(json?.schema, id)),
    ...(multipart ? [FILE] : []),
    ...(idempotencyKey ? [IDEMPOTENCY_KEY] : []),
  ]
  return {
    ...{ id, summary, method, path },
    // An image is sent instead of JSON.
    members: multipart ? members.map(member => ({ ...member, required: false })) : members,
    hasBody: json !== undefined,
    answer: shapes.of(answer, id),
  }
}

function controlCall(
  call: string,
  { id, summary, query, headers, body, answers }: ControlOperation,
  shapes: Shapes,
): Call {
  const [method = '', path = ''] = call.split(' ')
  const form = body && 'form' in body ? body.form : undefined
  return {
    ...{ id, summary, method, path },
    members: [
      ...sent('query', shapes.members({ properties: query }, id)),
      ...sent('body', shapes.members(body && 'json' in body ? body.json : undefined, id)),
      ...(form ? [FILE, ...sent('form', shapes.members({ properties: form }, id))] : []),
      ...sent('headers', shapes.members({ properties: headers }, id)),
    ],
    hasBody: body !== undefined && 'json' in body,
    answer: answerOf(answers, id, shapes),
  }
}

const sent = (place: SentMember['place'], members: readonly Member[]): SentMember[] =>
  members.map(member => ({ ...member, place }))

const success = (answers: ControlOperation['answers']) =>
  Object.entries(answers).find(([status]) => status.startsWith('2'))?.[1] ?? null

function answerOf(answers: ControlOperation['answers'], id: string, shapes: Shapes): Call['answer'] {
  const answer = success(answers)
  if (answer === null) return 'nothing'
  if ('media' in answer) return String(answer.media).startsWith('text/') ? 'text' : 'bytes'
  return shapes.of(answer, id)
}

/** A stream never ends, so it is no answer that a function returns. */
function isStream(answers: ControlOperation['answers']): boolean {
  const answer = success(answers)
  return answer !== null && 'media' in answer && String(answer.media) === 'text/event-stream'
}

/** Reads schemas, and collects the records in them. */
class Shapes {
  readonly #records = new Map<string, Record>()
  readonly #titles = new Map<string, string>()
  readonly #taken: Set<string>

  constructor(taken: ReadonlySet<string>) {
    this.#taken = new Set(taken)
  }

  get records(): Record[] {
    return [...this.#records.values()]
  }

  /** Looks for the titles of schemas in any value. */
  learn(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const { title } = value as { title?: unknown }
    if (typeof title === 'string') this.#titles.set(contentOf(value), title)
    for (const member of Object.values(value)) this.learn(member)
  }

  members(schema: object | undefined, owner: string): Member[] {
    const { properties = {}, required = [] } = (schema ?? {}) as {
      properties?: { [name: string]: TSchema } | undefined
      required?: string[]
    }
    return Object.entries(properties).map(([name, of]) => ({
      name,
      required: required.includes(name),
      shape: this.of(of, `${owner} ${name}`),
    }))
  }

  /** A record without a title is named after what it is a member of. */
  of(schema: TSchema, owner: string): Shape {
    const { type, const: constant, enum: words, items, anyOf, patternProperties, $ref, properties } = schema
    if ($ref !== undefined) return { kind: 'record', name: nameOf($ref, 'Pascal') }
    if (typeof constant === 'string') return { kind: 'text', words: [constant] }
    if (words) return { kind: 'text', words }
    if (anyOf) return this.#oneOf(anyOf, schema, owner)
    if (type === 'array') return { kind: 'list', of: this.of(items, owner) }
    if (properties) return this.#record(schema, owner, name => this.members(schema, name))
    const [values] = Object.values<TSchema>(patternProperties ?? {})
    if (values) return { kind: 'map', of: this.of(values, owner) }
    if (type === 'integer' || type === 'number' || type === 'boolean') return { kind: type }
    return { kind: type === 'string' ? 'text' : 'any' }
  }

  /** Of several records, one that has the members of all. */
  #oneOf(alternatives: readonly TSchema[], schema: TSchema, owner: string): Shape {
    const isNull = ({ type }: TSchema) => type === 'null'
    const nullable = alternatives.some(isNull) ? { nullable: true as const } : {}
    const others = alternatives.filter(each => !isNull(each))
    const [only] = others
    if (only && others.length === 1) return { ...this.of(only, owner), ...nullable }
    if (!others.every(({ properties }) => properties)) return { kind: 'any' }
    const record = this.#record(schema, owner, name => merged(others.map(each => this.members(each, name))))
    return { ...record, ...nullable }
  }

  #record(schema: TSchema, owner: string, members: (name: string) => Member[]): Shape {
    const content = contentOf(schema)
    const known = this.#records.get(content)
    if (known) return { kind: 'record', name: known.name }
    const name = nameOf(this.#titles.get(content) ?? owner, 'Pascal', this.#taken)
    this.#taken.add(name)
    // Its place is before the records in it.
    this.#records.set(content, { name, members: [] })
    this.#records.set(content, { name, members: members(name) })
    return { kind: 'record', name }
  }
}

/** What a schema says without its name, so that the same record is found with and without one. */
const contentOf = (schema: object) =>
  JSON.stringify(schema, (key, value) =>
    (key === 'title' || key === 'description' || key === 'examples') && typeof value !== 'object'
      ? undefined
      : value,
  )

function merged(alternatives: readonly (readonly Member[])[]): Member[] {
  const names = new Set(alternatives.flatMap(members => members.map(({ name }) => name)))
  return [...names].map(name => {
    const found = alternatives.flatMap(members => members.filter(member => member.name === name))
    return {
      name,
      required: found.length === alternatives.length && found.every(({ required }) => required),
      shape: found.map(({ shape }) => shape).reduce(either),
    }
  })
}

function either(a: Shape, b: Shape): Shape {
  if (a.kind === 'text' && b.kind === 'text')
    return a.words && b.words
      ? { kind: 'text', words: [...new Set([...a.words, ...b.words])] }
      : { kind: 'text' }
  return JSON.stringify(a) === JSON.stringify(b) ? a : { kind: 'any' }
}
