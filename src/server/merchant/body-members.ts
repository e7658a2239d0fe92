import type { TSchema } from '@sinclair/typebox'
import type { Contract } from '../../contract/decisions.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import type { Request } from '../http/request.ts'
import type { JsonObject } from '../read-body.ts'

/** Unknown members: refused, or named in the request log, as the contract says. */
export function unknownMembers(
  contract: Contract,
  request: Request,
  body: JsonObject,
  schema: TSchema | undefined,
): readonly FieldProblem[] {
  const known: Record<string, unknown> = schema?.properties ?? {}
  const unknown = Object.keys(body).filter(member => !Object.hasOwn(known, member))
  if (contract['strict.unknown_members'] === 'reject')
    return unknown.map(field => ({ field, message: 'is not a known member' }))
  request.ignored = [...request.ignored, ...unknown]
  return []
}

/** If the contract treats an explicit null as an absent member. */
export function readNulls(contract: Contract, body: JsonObject): JsonObject {
  if (contract['strict.nulls'] === 'reject' || !hasNull(body)) return body
  const given = Object.entries(body).filter(([, value]) => value !== null)
  return Object.fromEntries(
    given.map(([key, value]) => [key, isObject(value) ? readNulls(contract, value) : value]),
  )
}

const hasNull = (body: JsonObject): boolean =>
  Object.values(body).some(value => value === null || (isObject(value) && hasNull(value)))

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
