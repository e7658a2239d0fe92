import type { Contract } from './decisions.ts'
import { ERROR_STATUS, type ErrorCode, type Rejection } from './errors.ts'

export interface RenderedError {
  status: number
  contentType: string
  body: string
}

/** A rejection as a response, in the body shape of the contract in force. */
export function renderError(contract: Contract, rejection: Rejection, requestId: string): RenderedError {
  const { code, message } = rejection
  const status = rejection.status ?? statusOf(code, contract)
  const details = rejection.details ?? []
  const facts = { code, message, details, request_id: requestId }
  switch (contract['errors.body']) {
    case 'nested':
      return {
        status,
        contentType: 'application/json; charset=utf-8',
        body: JSON.stringify({ error: facts }),
      }
    case 'flat':
      return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(facts) }
    case 'problem': {
      const problem = { type: 'about:blank', title: titleOf(code), status, detail: message, ...facts }
      return { status, contentType: 'application/problem+json; charset=utf-8', body: JSON.stringify(problem) }
    }
  }
}

/** The status of a code, which a decision may have changed. */
export function statusOf(code: ErrorCode, contract: Contract): number {
  if (code === 'unauthorized') return Number(contract['auth.failure_status'])
  if (code === 'idempotency_conflict') return Number(contract['errors.idempotency_conflict'])
  return ERROR_STATUS[code]
}

function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The code and the message in the body of a refusal, in any of its shapes; undefined if it is none of ours. */
export function readRefusal(body: string): Pick<Rejection, 'code' | 'message'> | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return undefined
  }
  const whole: Readonly<Record<string, unknown>> = Object(parsed)
  const { code, message } = Object(whole.error ?? whole)
  return isErrorCode(code) ? { code, message: typeof message === 'string' ? message : '' } : undefined
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code)
