import { expect } from 'vitest'
import { SENTINEL } from '../gateway/probe-catalogue.ts'
import type { Answer } from '../gateway/server.ts'

const REQUEST_ID = /^req_\S+$/
export const PAYMENT_ID = /^pi_[0-9A-Za-z]{24}$/
export const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** The rules for every answer of the merchant API. */
export function expectCleanAnswer(answer: Answer): Answer {
  expect(answer.status, answer.text).not.toBe(500)
  expect(answer.headers.get('request-id')).toMatch(REQUEST_ID)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.text).not.toMatch(SENTINEL)
  expect(JSON.stringify([...answer.headers])).not.toMatch(SENTINEL)
  return answer
}

export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.error?.code }, answer.text).toEqual({ status, code })
  expect(answer.body.error.message).toMatch(/\S/)
  expect(answer.body.error.request_id).toBe(answer.headers.get('request-id'))
  expect(Array.isArray(answer.body.error.details)).toBe(true)
}

/** 400 `validation_failed` with details about exactly these fields. */
export function expectInvalid(answer: Answer, ...fields: string[]): void {
  expectError(answer, 400, 'validation_failed')
  expect([...new Set(namedFields(answer))].sort(), answer.text).toEqual([...fields].sort())
  for (const detail of answer.body.error.details) expect(detail.message).toMatch(/\S/)
}

/** A method that exists, but that no route offers in this way. The documents allow either of the two codes. */
export function expectUnroutable(answer: Answer): void {
  expect(['routing_unavailable', 'payment_configuration_unavailable']).toContain(answer.body?.error?.code)
  expectError(answer, 422, answer.body.error.code)
}

export function namedFields(answer: Answer): string[] {
  return answer.body.error.details.map((detail: { field: string }) => detail.field)
}

export function expectReplay(replay: Answer, first: Answer): void {
  expect({ status: replay.status, text: replay.text }).toEqual({ status: first.status, text: first.text })
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
}

export function expectFresh(answer: Answer, status: number): void {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers.get('idempotent-replayed')).toBeNull()
}

/** An answer without what may differ between two equal refusals: the ids of the request and of the record. */
export function withoutIdentity(answer: Answer, ...ids: string[]) {
  let text = answer.text.replaceAll(/req_[\w-]+/g, 'req_')
  for (const id of ids) text = text.replaceAll(id, '<id>')
  const headers = [...answer.headers].filter(
    ([name]) => !['request-id', 'date', 'content-length'].includes(name.toLowerCase()),
  )
  return { status: answer.status, headers, text }
}
