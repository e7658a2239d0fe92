import type { Answer } from './answer-type.ts'
import { readErrorBody } from './error-body.ts'
import { ApiError, NotJsonError } from './faults.ts'
import type { WireAnswer } from './transport/transport.ts'

export function answerOf({ status, headers, text }: WireAnswer, attempts: number): Answer {
  const body = parse(text)
  const requestId = headers['request-id'] ?? headers['x-request-id'] ?? requestIdOf(body)
  return { status, headers, text, body, requestId, attempts }
}

/** Any 2xx with JSON is the answer; all else is thrown. `bodiless`: success may have nothing to say. */
export function accept(answer: Answer, bodiless: boolean, hide: (text: string) => string): Answer {
  const succeeded = answer.status >= 200 && answer.status < 300
  if (succeeded && bodiless && answer.text === '') return answer
  if (typeof answer.body !== 'object' || answer.body === null) throw notJson(answer, hide)
  if (succeeded) return answer
  const { message, ...facts } = readErrorBody(answer.body, answer.status)
  throw new ApiError({ ...facts, message: hide(message) }, answer)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

function requestIdOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null ? readErrorBody(body, 0).requestId : undefined
}

const SHOWN_CHARACTERS = 200

function notJson(answer: Answer, hide: (text: string) => string): NotJsonError {
  const { status, text, headers } = answer
  // Whatever stands there is shown on somebody's terminal: no control sequences.
  const firstBytes = hide(text.slice(0, SHOWN_CHARACTERS)).replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
  const type = headers['content-type']
  const what = text.trim() === '' ? 'nothing' : `${type ?? 'something'} that is no JSON object: ${firstBytes}`
  const location = headers.location
  const hint =
    status >= 300 && status < 400 && location !== undefined
      ? `; it redirects to ${hide(location)}, redirects are not followed: use that as the base URL`
      : '; is the base URL that of the API?'
  return new NotJsonError(`the answer (${status}) was ${what}${hint}`, answer, firstBytes)
}
