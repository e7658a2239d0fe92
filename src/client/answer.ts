import type { FieldProblem } from '../contract/errors.ts'
import { isTooDeep, MOST_LEVELS, parseForeign } from '../contract/json.ts'
import type { WireAnswer } from '../contract/wire-answer.ts'
import { type Expected, shapeProblems } from './answer-shape.ts'
import { ApiError, NotJsonError, readErrorBody, UnexpectedAnswerError } from './errors.ts'
import type { Answer } from './transport/transport.ts'

export function answerOf({ status, headers, text }: WireAnswer, attempts: number): Answer {
  const body = parseForeign(text.replace(/^\uFEFF/, ''))
  const requestId = headers['request-id'] ?? headers['x-request-id'] ?? requestIdOf(body)
  return { status, headers, text, body, requestId, attempts }
}

/** What an answer is checked against. */
export interface Acceptance {
  /** The call, as messages show it: `GET /payment_intents/pi_1`. */
  readonly call: string
  /** Whether the call changes nothing, so that it is safe to repeat after a failure. */
  readonly isRead: boolean
  /** Whether a success may have no body. */
  readonly bodiless: boolean
  /** Undefined if any JSON is valid. */
  readonly expected: Expected | undefined
  /** Whether to check the whole contract, and not only the members that callers depend on. */
  readonly strict: boolean
  readonly hide: (text: string) => string
}

/** Returns a 2xx answer of the right shape, and throws an error for any other answer. */
export async function accept(answer: Answer, acceptance: Acceptance): Promise<Answer> {
  const { expected, strict, hide } = acceptance
  const succeeded = answer.status >= 200 && answer.status < 300
  if (succeeded && acceptance.bodiless && answer.text === '') return answer
  if (typeof answer.body !== 'object' || answer.body === null) throw notJson(answer, acceptance)
  const problems = expected && succeeded ? shapeProblems(answer.body, expected) : []
  if (problems.length > 0) throw unexpected(answer, problems, acceptance)
  // This loads a validator, so do it only on request. A broken server may send any 5xx.
  if (strict && answer.status < 500) {
    const { contractProblems } = await import('./contract-problems.ts')
    const found = contractProblems(answer.body, succeeded ? expected?.resource : 'Error')
    if (found.length > 0) throw unexpected(answer, found, acceptance)
  }
  if (succeeded) return answer
  const { message, ...facts } = readErrorBody(answer.body, answer.status)
  throw new ApiError({ ...facts, message: hide(message) }, answer)
}

function requestIdOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null ? readErrorBody(body, 0).requestId : undefined
}

const SHOWN_CHARACTERS = 200

const PERHAPS_DONE = 'The call may have been carried out anyway: check before you repeat it.'

/** The start of an answer for a terminal, without control sequences. */
const beginningOf = (text: string, hide: Acceptance['hide']) =>
  hide(text.slice(0, SHOWN_CHARACTERS)).replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')

function notJson(answer: Answer, { isRead, hide }: Acceptance): NotJsonError {
  const { status, text, headers } = answer
  const firstBytes = beginningOf(text, hide)
  const type = headers['content-type']
  const what =
    text.trim() === ''
      ? 'empty'
      : isTooDeep(text)
        ? `nested more than ${MOST_LEVELS} levels deep: ${firstBytes}`
        : `not a JSON object but ${type ?? 'something'}: ${firstBytes}`
  const location = headers.location
  const hint =
    status >= 300 && status < 400 && location !== undefined
      ? `; it redirects to ${hide(location)}, and paysim does not follow redirects: use that address as the base URL`
      : '; is the base URL the address of the API?'
  // A redirect or a refusal changed nothing. A 2xx or 5xx with another body may come from a proxy, after the change.
  const perhapsDone = !isRead && (status < 300 || status >= 500) ? ` ${PERHAPS_DONE}` : ''
  return new NotJsonError(`the answer (${status}) was ${what}${hint}${perhapsDone}`, answer, firstBytes)
}

const MOST_PROBLEMS = 5

function unexpected(
  answer: Answer,
  problems: readonly FieldProblem[],
  { call, isRead, strict, hide }: Acceptance,
): UnexpectedAnswerError {
  const firstBytes = beginningOf(answer.text.trim(), hide)
  const lines = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ field, message }) => `\n  ${field || 'it'} ${message}`)
  const more = problems.length - lines.length
  const cut = answer.text.trim().length > SHOWN_CHARACTERS ? '…' : ''
  const message = [
    `${call} was answered with ${answer.status}, but the body does not match ${strict ? 'the contract' : 'this API'}:`,
    ...lines,
    more > 0 ? `\n  and ${more} more` : '',
    `\nThe answer begins: ${firstBytes}${cut}`,
    '\nIs the base URL (--base-url) the address of the API?',
    isRead ? '' : ` ${PERHAPS_DONE}`,
  ]
  return new UnexpectedAnswerError(hide(message.join('')), answer, firstBytes, problems)
}
