import { ANSWERS, type AnswerSchema } from '../contract/control/answers.ts'
import type { ControlCall } from '../contract/control/operations.ts'
import { isRecord, kindOf } from './answer-shape.ts'

/**
 * The problem of an answer of the control surface, if it has one. Only members and their kinds are checked. That is
 * enough to recognise the answer of another server, and to use the answer without more checks.
 */
export function answerProblem(call: ControlCall, body: unknown): string | undefined {
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
