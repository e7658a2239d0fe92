import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { NextAction, Receipt, resources } from '../contract/resources.ts'
import { type Validator, validator } from '../contract/validation.ts'
import type { Expected } from './answer-shape.ts'
import type { FieldProblem } from './errors.ts'

/**
 * All in which a body differs from what the contract says of it, whichever way the server decided the questions that the
 * interface document leaves open. Nothing is known of a body that is not expected to be anything.
 */
export function contractProblems(
  body: unknown,
  resource: Expected['resource'] | 'Fault' | undefined,
): readonly FieldProblem[] {
  return resource === undefined ? [] : CHECKS[resource](body)
}

const shapes = resources('any')
const payoutList = Type.Object(
  { ...shapes.PayoutList.properties, data: Type.Array(shapes.PayoutIntent) },
  { additionalProperties: false },
)

const CHECKS: Readonly<Record<Expected['resource'] | 'Fault', Validator>> = {
  PaymentIntent: withVariants(shapes.PaymentIntent.properties, {
    next_action: { union: NextAction.anyOf, by: 'type' },
    receipt: { union: Receipt.anyOf, by: 'status' },
  }),
  PayoutIntent: validator(shapes.PayoutIntent),
  PayoutList: validator(payoutList),
  PaymentMethodOptions: validator(shapes.PaymentMethodOptions),
  Fault: errorCheck(),
}

interface Variants {
  readonly union: readonly TSchema[]
  /** The member that tells which one it is. */
  readonly by: string
}

/**
 * An object of which some members are one of several shapes: held against the one that it claims to be. Against all of
 * them, it would be told of each what it lacks to be that one.
 */
function withVariants(
  members: Readonly<Record<string, TSchema>>,
  variants: Readonly<Record<string, Variants>>,
): Validator {
  const open = Object.fromEntries(Object.keys(variants).map(name => [name, Type.Optional(Type.Unknown())]))
  const whole = validator(Type.Object({ ...members, ...open }, { additionalProperties: false }))
  const checks = Object.entries(variants).map(([name, { union, by }]) => ({ name, check: oneOf(union, by) }))
  const required = Object.keys(variants).filter(name => members[name]?.[Type.OptionalKind] === undefined)
  return body => [
    ...whole(body),
    ...required
      .filter(name => memberOf(body, name) === undefined)
      .map(field => ({ field, message: 'is required' })),
    ...checks.flatMap(({ name, check }) => {
      const member = memberOf(body, name)
      if (member === undefined || member === null) return []
      return check(member).map(({ field, message }) => ({
        field: field === 'body' ? name : `${name}.${field}`,
        message,
      }))
    }),
  ]
}

function oneOf(union: readonly TSchema[], by: string): Validator {
  const known = union.flatMap(schema => {
    const check = validator(schema)
    return namesOf(schema.properties[by]).map(name => ({ name, check }))
  })
  return value => {
    const claimed = memberOf(value, by)
    const found = known.find(({ name }) => name === claimed)
    if (found) return found.check(value)
    return [{ field: by, message: `must be one of ${known.map(({ name }) => name).join(', ')}` }]
  }
}

function namesOf(schema: TSchema): readonly string[] {
  return 'const' in schema ? [String(schema.const)] : (schema.enum ?? [])
}

/** An error is held against the shape that it has most of. */
function errorCheck(): Validator {
  const [nested, flat, problem] = shapes.Fault.anyOf.map((schema: TSchema) => validator(schema))
  return body => {
    const meant =
      typeof memberOf(body, 'error') === 'object'
        ? nested
        : memberOf(body, 'title') === undefined
          ? flat
          : problem
    return meant?.(body) ?? []
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
