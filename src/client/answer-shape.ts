import type { FieldProblem } from '../contract/errors.ts'
import { isRecord } from '../contract/json.ts'
import { OPERATION_PATHS } from '../contract/paths.ts'

/** The expected kind of an answer, and the record that it must be about. */
export interface Expected {
  readonly resource: 'PaymentIntent' | 'PayoutIntent' | 'PayoutList' | 'PaymentMethodOptions'
  /** The id of the requested record. The answer must have the same id. */
  readonly id?: string
}

/**
 * Checks only the members that callers depend on, because another server may send more or fewer than the interface
 * document says.
 */
export function shapeProblems(body: unknown, { resource, id }: Expected): readonly FieldProblem[] {
  if (!isRecord(body)) return [{ field: '', message: `must be an object, not ${kindOf(body)}` }]
  switch (resource) {
    case 'PaymentIntent':
      return recordProblems(body, { object: 'payment_intent', id })
    case 'PayoutIntent':
      return recordProblems(body, { object: 'payout_intent', id })
    case 'PayoutList':
      return listProblems(body)
    case 'PaymentMethodOptions':
      return each(body, 'methods', method => text(method, 'code'))
  }
}

type Loose = Readonly<Record<string, unknown>>

function recordProblems(
  body: Loose,
  { object, id }: { readonly object: string; readonly id?: string | undefined },
): FieldProblem[] {
  const problems = [...text(body, 'id'), ...constant(body, 'object', object), ...text(body, 'status')]
  if (id === undefined || typeof body.id !== 'string' || body.id === '' || body.id === id) return problems
  return [{ field: 'id', message: `is ${shown(body.id)}, but ${shown(id)} was requested` }, ...problems]
}

function listProblems(body: Loose): FieldProblem[] {
  const cursor = body.next_cursor ?? null
  return [
    ...each(body, 'data', payout => recordProblems(payout, { object: 'payout_intent' })),
    ...(typeof body.has_more === 'boolean' ? [] : [wrong(body, 'has_more', 'a boolean')]),
    ...(cursor === null || typeof cursor === 'string' ? [] : [wrong(body, 'next_cursor', 'a string')]),
    // Without a cursor, the rest of the list would silently be missing.
    ...(body.has_more === true && (cursor === null || cursor === '')
      ? [{ field: 'next_cursor', message: `is ${cursor === '' ? 'empty' : 'missing'}, but has_more is true` }]
      : []),
  ]
}

/** A list under a name. `look` returns the problem of each member, if it has one. */
function each(body: Loose, name: string, look: (member: Loose) => FieldProblem[]): FieldProblem[] {
  const list = body[name]
  if (!Array.isArray(list)) return [wrong(body, name, 'an array')]
  return list.flatMap((member: unknown, at) =>
    isRecord(member)
      ? look(member).map(({ field, message }) => ({ field: `${name}.${at}.${field}`, message }))
      : [{ field: `${name}.${at}`, message: `must be an object, not ${kindOf(member)}` }],
  )
}

const text = (body: Loose, name: string): FieldProblem[] =>
  typeof body[name] === 'string' && body[name] !== '' ? [] : [wrong(body, name, 'a string')]

const constant = (body: Loose, name: string, value: string): FieldProblem[] =>
  body[name] === value ? [] : [wrong(body, name, shown(value))]

function wrong(body: Loose, name: string, wanted: string): FieldProblem {
  const found = body[name]
  if (found === undefined) return { field: name, message: 'is missing' }
  const what = typeof found === 'string' ? shown(found) : kindOf(found)
  return { field: name, message: `is ${what}, not ${wanted}` }
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (value === '') return 'empty'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const SHOWN_CHARACTERS = 40
const shown = (value: string) =>
  JSON.stringify(value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value)

const RESOURCES: Readonly<Record<keyof typeof OPERATION_PATHS, Expected['resource']>> = {
  listPaymentMethods: 'PaymentMethodOptions',
  createPayment: 'PaymentIntent',
  getPayment: 'PaymentIntent',
  cancelPayment: 'PaymentIntent',
  submitReceipt: 'PaymentIntent',
  listPayouts: 'PayoutList',
  cancelPayout: 'PayoutIntent',
}

/**
 * The expected answer of a call that is made by its path; undefined if the interface document does not have that call.
 */
export function expectedOf(method: string, path: string, createPath: string): Expected | undefined {
  const [plain = ''] = `/${path.replace(/^\/+/, '')}`.split('?')
  for (const [id, resource] of Object.entries(RESOURCES) as [
    keyof typeof RESOURCES,
    Expected['resource'],
  ][]) {
    const { method: verb, path: standard } = OPERATION_PATHS[id]
    const template = id === 'createPayment' ? createPath : standard
    const pattern = new RegExp(`^${template.replaceAll(':id', '[^/]+')}$`)
    if (verb === method.toUpperCase() && pattern.test(plain)) return { resource }
  }
  return undefined
}
