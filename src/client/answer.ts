import { type Expected, shapeProblems } from './answer-shape.ts'
import type { Answer } from './answer-type.ts'
import { readErrorBody } from './error-body.ts'
import { ApiError, type FieldProblem, NotJsonError, UnexpectedAnswerError } from './errors.ts'
import type { WireAnswer } from './transport/transport.ts'

export function answerOf({ status, headers, text }: WireAnswer, attempts: number): Answer {
  const body = parse(text)
  const requestId = headers['request-id'] ?? headers['x-request-id'] ?? requestIdOf(body)
  return { status, headers, text, body, requestId, attempts }
}

/** What an answer is held against. */
export interface Acceptance {
  /** The call, as a message names it: `GET /payment_intents/pi_1`. */
  readonly call: string
  /** Whether it changes nothing, so that its failure leaves no question. */
  readonly isRead: boolean
  /** Success may have nothing to say. */
  readonly bodiless: boolean
  /** Undefined where any JSON will do. */
  readonly expected: Expected | undefined
  /** Whether all that the contract says of it is looked at, and not only what a caller lives on. */
  readonly strict: boolean
  readonly hide: (text: string) => string
}

/** A 2xx of the right shape is the answer, whichever 2xx it is; all else is thrown. */
export async function accept(answer: Answer, acceptance: Acceptance): Promise<Answer> {
  const { expected, strict, hide } = acceptance
  const succeeded = answer.status >= 200 && answer.status < 300
  if (succeeded && acceptance.bodiless && answer.text === '') return answer
  if (typeof answer.body !== 'object' || answer.body === null) throw notJson(answer, acceptance)
  const problems = expected && succeeded ? shapeProblems(answer.body, expected) : []
  if (problems.length > 0) throw unexpected(answer, problems, acceptance)
  // Loads a validator, so only for who asks for it. A server that is broken says so in whatever words it has left.
  if (strict && answer.status < 500) {
    const { contractProblems } = await import('./contract-problems.ts')
    const found = contractProblems(answer.body, succeeded ? expected?.resource : 'Fault')
    if (found.length > 0) throw unexpected(answer, found, acceptance)
  }
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

const PERHAPS_DONE = 'The call may have been carried out anyway: check before you repeat it.'

/** Whatever stands there is shown on somebody's terminal: no control sequences. */
const beginningOf = (text: string, hide: Acceptance['hide']) =>
  hide(text.slice(0, SHOWN_CHARACTERS)).replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')

function notJson(answer: Answer, { isRead, hide }: Acceptance): NotJsonError {
  const { status, text, headers } = answer
  const firstBytes = beginningOf(text, hide)
  const type = headers['content-type']
  const what = text.trim() === '' ? 'empty' : `not a JSON object but ${type ?? 'something'}: ${firstBytes}`
  const location = headers.location
  const hint =
    status >= 300 && status < 400 && location !== undefined
      ? `; it redirects to ${hide(location)}, and paysim does not follow redirects: use that address as the base URL`
      : '; is the base URL the address of the API?'
  // What redirects or refuses did nothing; behind a proxy's page, or a page in place of the answer, it may be done.
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
    `${call} was answered with ${answer.status}, but not as ${strict ? 'the contract has it' : 'this API answers'}:`,
    ...lines,
    more > 0 ? `\n  and ${more} more` : '',
    `\nThe answer begins: ${firstBytes}${cut}`,
    '\nIs the base URL (--base-url) the address of the API?',
    isRead ? '' : ` ${PERHAPS_DONE}`,
  ]
  return new UnexpectedAnswerError(hide(message.join('')), answer, firstBytes, problems)
}
