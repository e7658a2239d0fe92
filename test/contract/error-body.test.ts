import { describe, expect, test } from 'vitest'
import { ERROR_STATUS, type ErrorCode, invalid, renderError, statusOf } from '../../src/contract/errors.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'

const codes = Object.keys(ERROR_STATUS) as ErrorCode[]
const details = [{ field: 'amount', message: 'is required' }]
const facts = { code: 'validation_failed', message: 'amount is required', details, request_id: 'req_1' }
const render = (overrides: Record<string, unknown>, rejection = invalid(details)) => {
  const { body, ...rest } = renderError(resolveContract(overrides), rejection, 'req_1')
  return { ...rest, body: JSON.parse(body) }
}

describe('an error body', () => {
  test.each([
    ['nested', 'application/json; charset=utf-8', { error: facts }],
    ['flat', 'application/json; charset=utf-8', facts],
    [
      'problem',
      'application/problem+json; charset=utf-8',
      {
        type: 'about:blank',
        title: 'Validation failed',
        status: 400,
        detail: 'amount is required',
        ...facts,
      },
    ],
  ])('%s', (shape, contentType, body) => {
    expect(render({ 'errors.body': shape })).toStrictEqual({ status: 400, contentType, body })
  })

  test('always has details', () => {
    expect(render({}, { code: 'not_found', message: 'No such payout' }).body.error.details).toEqual([])
  })

  test('has the status of its rejection, if the rejection gives one', () => {
    expect(render({ 'errors.body': 'problem' }, { ...invalid(details), status: 413 })).toMatchObject({
      status: 413,
      body: { status: 413 },
    })
  })
})

describe('statuses', () => {
  test.each(codes)('%s has a status of the right class', code => {
    expect(statusOf(code, resolveContract())).toBe(ERROR_STATUS[code])
    expect(ERROR_STATUS[code]).toBeGreaterThanOrEqual(400)
  })

  test.each([
    ['auth.failure_status', '403', 'unauthorized', 403],
    ['errors.idempotency_conflict', '422', 'idempotency_conflict', 422],
    ['errors.idempotency_conflict', '400', 'idempotency_conflict', 400],
  ] as const)('%s %s changes the status of %s', (key, value, code, status) => {
    const contract = resolveContract({ [key]: value })
    expect(statusOf(code, contract)).toBe(status)
    for (const other of codes.filter(each => each !== code))
      expect(statusOf(other, contract)).toBe(ERROR_STATUS[other])
  })
})

test.each([
  [[], 'The request is not valid'],
  [details, 'amount is required'],
  [[...details, ...details, ...details], 'amount is required (and 2 more)'],
])('several errors make one message', (problems, message) => {
  expect(invalid(problems)).toEqual({ code: 'validation_failed', message, details: problems })
})
