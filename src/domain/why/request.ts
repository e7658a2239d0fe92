import type { HttpFaultType } from '../../contract/control/faults.ts'
import type { Why } from '../../contract/control/timeline.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { commandLine } from './answer.ts'

/** Why a request was answered as it was. */

/** What the request log knows. */
export interface AnsweredRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly at: string
  /** What nothing read: members of the body, names of the query. */
  readonly ignored: readonly string[]
  readonly code: ErrorCode | null
  readonly message: string | null
  readonly fault: { readonly type: HttpFaultType; readonly carriedOut: boolean } | null
}

export function whyRequest(request: AnsweredRequest, account: string): Why {
  const { id, method, path, status, at, ignored, code, message } = request
  return {
    id,
    kind: 'request',
    status: String(status),
    sentence: tellRequest(request),
    because: [
      { what: `${method} ${path} was answered with ${status}`, at },
      ...(message === null ? [] : [{ what: message }]),
      ...ignored.map(name => ({ what: `${name} was ignored, because nothing reads it` })),
    ],
    next: null,
    commands: [
      commandLine(account, ['requests', 'show', id]),
      ...(code !== null && LOOK_AT[code] ? [commandLine(account, LOOK_AT[code])] : []),
      ...(request.fault ? [commandLine(account, ['faults', 'list'])] : []),
    ],
  }
}

export function tellRequest({ status, code, message, fault, ignored }: AnsweredRequest): string {
  if (fault) {
    const done = fault.carriedOut ? 'after the call was carried out' : 'before the call was carried out'
    return `A fault ${FAULTS[fault.type]}, ${done}.`
  }
  const unread = ignored.length === 0 ? '' : ` Nothing read ${ignored.join(', ')}.`
  if (code !== null) return `${REFUSALS[code]}${message === null ? '' : ` (${message})`}.${unread}`
  if (status >= 400) return `It was refused with ${status}, without a code of the API.${unread}`
  return `It was carried out, and answered with ${status}.${unread}`
}

const FAULTS: { readonly [T in HttpFaultType]: string } = {
  latency: 'delayed its answer',
  status: 'replaced its answer by an error',
  reset: 'reset the connection',
  empty: 'emptied its answer',
  truncate: 'cut its answer off',
  garbage: 'replaced its answer by text that is not JSON',
  drip: 'sent its answer drop by drop',
  hold: 'held it, until somebody let it go or its time was over',
  rate: 'refused it, because there were more calls than it allows',
}

const REFUSALS: { readonly [C in ErrorCode]: string } = {
  validation_failed: 'Its fields are not as the API wants them',
  unauthorized: 'Its credentials are missing or wrong',
  checkout_mode_not_allowed: "The merchant's policy does not allow this checkout mode",
  not_found: 'The account has no such record or path',
  method_not_allowed: 'The path exists, but not with this method',
  idempotency_conflict: 'Its idempotency key was used for another request',
  idempotency_in_progress: 'A request with the same idempotency key is still being carried out',
  payload_too_large: 'Its body is larger than the API takes',
  unsupported_media_type: 'Its content type is not one that the API takes',
  payment_configuration_unavailable: 'No route is configured for what it asks for',
  routing_unavailable: 'A route is configured, but none of them can take it now',
  provider_capability_unsupported: 'The provider of this payment cannot do that',
  invalid_state: 'The record is not in a state in which that is possible',
  rate_limited: 'There were too many requests',
  internal_error: 'The simulator failed, which is a bug or a fault of its disk',
  service_unavailable: 'The simulator could not serve the account',
}

/** Where the cause of a refusal can be seen, and changed. */
const LOOK_AT: { readonly [C in ErrorCode]?: readonly string[] } = {
  payment_configuration_unavailable: ['catalogue', 'show'],
  routing_unavailable: ['catalogue', 'show'],
  provider_capability_unsupported: ['catalogue', 'show'],
}
