import type { FieldProblem } from '../contract/errors.ts'

export interface ErrorFacts {
  readonly code: string
  readonly message: string
  readonly details: readonly FieldProblem[]
  readonly requestId: string | undefined
}

/**
 * Reads an error in any of the possible shapes: nested under `error`, flat, or an RFC 9457 problem. It accepts any
 * body, because the status must reach the user even if the body is useless.
 */
export function readErrorBody(body: object, status: number): ErrorFacts {
  const flat = record(body)
  const facts = isRecord(flat.error) ? flat.error : flat
  const shortError = text(flat.error)
  return {
    code: text(facts.code) ?? shortError ?? 'unknown',
    message:
      text(facts.message) ??
      text(facts.detail) ??
      text(facts.title) ??
      shortError ??
      `the server answered ${status}`,
    details: detailsOf(facts.details ?? facts.errors),
    requestId: text(facts.request_id) ?? text(flat.request_id),
  }
}

function detailsOf(value: unknown): FieldProblem[] {
  if (!Array.isArray(value)) return []
  return value.filter(isRecord).flatMap(({ field, message }) => {
    const [where, what] = [text(field), text(message)]
    return where === undefined && what === undefined ? [] : [{ field: where ?? '', message: what ?? '' }]
  })
}

type Loose = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Loose => typeof value === 'object' && value !== null
const record = (value: object): Loose => ({ ...value })
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
