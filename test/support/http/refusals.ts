import { expect } from 'vitest'
import type { Answer } from '../gateway/server.ts'

interface Refusal {
  status: number
  code: string
  /** A field that `details` must name. */
  field?: string
}

export const invalid = (field?: string): Refusal => ({
  status: 400,
  code: 'validation_failed',
  ...(field === undefined ? {} : { field }),
})
export const notFound: Refusal = { status: 404, code: 'not_found' }
export const invalidState: Refusal = { status: 422, code: 'invalid_state' }
export const unauthorized: Refusal = { status: 401, code: 'unauthorized' }
export const unsupportedMediaType: Refusal = { status: 415, code: 'unsupported_media_type' }
export const unavailable: Refusal = { status: 503, code: 'service_unavailable' }

/** The one error shape: status, code, a message, and the request id of the header. */
export function expectRefusal(answer: Answer, refusal: Refusal): void {
  expect({ status: answer.status, code: answer.body?.error?.code }, answer.text).toEqual({
    status: refusal.status,
    code: refusal.code,
  })
  expect(answer.body.error.message).toMatch(/\S/)
  expect(answer.headers.get('request-id')).toMatch(/^req_/)
  expect(answer.body.error.request_id).toBe(answer.headers.get('request-id'))
  if (refusal.field !== undefined) {
    const named = (answer.body.error.details ?? []).map((detail: { field: string }) => detail.field)
    expect(named, answer.text).toContain(refusal.field)
  }
}

/** The content of an answer without the ids of the request and of the requested record. */
export function contentOf(answer: Answer, name: string) {
  const requestId = answer.headers.get('request-id') ?? ''
  const headers = [...answer.headers].filter(([header]) => !['request-id', 'date'].includes(header))
  return {
    status: answer.status,
    headers,
    text: answer.text.replaceAll(requestId, '<request>').replaceAll(name, '<record>'),
  }
}

/** A valid id that no record has. */
export function idOfNothing(prefix: 'pi' | 'po' | 'ast'): string {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789'
  const pick = () => letters[Math.floor(Math.random() * letters.length)]
  return `${prefix}_${Array.from({ length: 24 }, pick).join('')}`
}
