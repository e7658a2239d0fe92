import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { FieldProblem } from '../contract/errors.ts'
import { memberAt } from '../contract/json.ts'
import { NextAction, Receipt, resources } from '../contract/resources.ts'
import { type Validator, validator } from '../contract/validation.ts'
import type { Expected } from './answer-shape.ts'

/**
 * All differences between a body and the contract, with every switch of the contract allowed in both positions. Bodies
 * without an expected resource are not checked.
 */
export function contractProblems(
  body: unknown,
  resource: Expected['resource'] | 'Error' | undefined,
): readonly FieldProblem[] {
  return resource === undefined ? [] : CHECKS[resource](body)
}

const shapes = resources('any')
const payoutList = Type.Object(
  { ...shapes.PayoutList.properties, data: Type.Array(shapes.PayoutIntent) },
  { additionalProperties: false },
)

const CHECKS: Readonly<Record<Expected['resource'] | 'Error', Validator>> = {
  PaymentIntent: withVariants(shapes.PaymentIntent.properties, {
    next_action: { union: NextAction.anyOf, by: 'type' },
    receipt: { union: Receipt.anyOf, by: 'status' },
  }),
  PayoutIntent: validator(shapes.PayoutIntent),
  PayoutList: validator(payoutList),
  PaymentMethodOptions: validator(shapes.PaymentMethodOptions),
  Error: errorCheck(),
}

interface Variants {
  readonly union: readonly TSchema[]
  /** The member that identifies the variant. */
  readonly by: string
}

/**
 * Checks an object whose members have variants. Each member is checked against the variant that it claims to be;
 * otherwise the problems of all variants would be reported.
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
      .filter(name => memberAt(body, name) === undefined)
      .map(field => ({ field, message: 'is required' })),
    ...checks.flatMap(({ name, check }) => {
      const member = memberAt(body, name)
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
    const claimed = memberAt(value, by)
    const found = known.find(({ name }) => name === claimed)
    if (found) return found.check(value)
    return [{ field: by, message: `must be one of ${known.map(({ name }) => name).join(', ')}` }]
  }
}

function namesOf(schema: TSchema): readonly string[] {
  return 'const' in schema ? [String(schema.const)] : (schema.enum ?? [])
}

/** Checks an error against the shape that it resembles most. */
function errorCheck(): Validator {
  const [nested, flat, problem] = shapes.Error.anyOf.map((schema: TSchema) => validator(schema))
  return body => {
    const meant =
      typeof memberAt(body, 'error') === 'object'
        ? nested
        : memberAt(body, 'title') === undefined
          ? flat
          : problem
    return meant?.(body) ?? []
  }
}
