import { shapeProblems } from '../../client/answer-shape.ts'
import { isLive } from '../../client/credentials.ts'
import { readErrorBody } from '../../client/errors.ts'
import type { Answer } from '../../client/index.ts'
import { memberAt } from '../../contract/json.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import { EXIT, exitCodeOfAnswer } from '../errors/exit-code.ts'
import { visible } from '../output/text.ts'
import { DISCOVERY } from '../probe/reads.ts'
import type { Exchange, Session } from '../probe/session.ts'
import { type Check, ok, problem, warning } from './report.ts'

/** The first answer of a server, and when it was asked and answered. */
export interface FirstAnswer {
  readonly exchange: Exchange
  readonly startedAt: number
  readonly endedAt: number
}

/** Asks for payment methods, which only reads. */
export async function askFirst(session: Session): Promise<FirstAnswer> {
  const startedAt = Date.now()
  const exchange = await session.send({
    method: 'GET',
    path: OPERATION_PATHS.listPaymentMethods.path,
    query: DISCOVERY,
  })
  return { exchange, startedAt, endedAt: Date.now() }
}

/** Checks whether the server is this API and accepts the keys. The first problem that prevents calls is the last check. */
export function* checkGateway(
  { exchange: { answer }, startedAt, endedAt }: FirstAnswer,
  publicKey: string,
): Generator<Check> {
  const api = apiCheck(answer, endedAt - startedAt)
  yield api
  if (api.verdict === 'fault') return
  yield clockCheck(answer.headers.date, { startedAt, endedAt })
  const keys = keysCheck(answer)
  yield keys
  if (keys.verdict !== 'fault') yield environmentCheck(answer.body, publicKey)
}

function apiCheck(answer: Answer, ms: number): Check {
  const { status, body, text, headers } = answer
  if (status >= 500) {
    const what = typeof body === 'object' && body !== null ? ` ${readErrorBody(body, status).code}` : ''
    const advice = 'this is an error of the server: try again, and report it to the operator'
    return problem('api', `GET ${OPERATION_PATHS.listPaymentMethods.path} answered ${status}${what}`, {
      advice,
      exitCode: EXIT.unexpected,
    })
  }
  const exitCode = EXIT.noAnswer
  if (typeof body !== 'object' || body === null) {
    const what = headers['content-type'] ?? (text === '' ? 'an empty body' : 'a body')
    const advice =
      headers.location === undefined
        ? 'check the base URL: does it need a prefix, such as /v1?'
        : `the server redirects to ${headers.location}: is that the base URL?`
    return problem(
      'api',
      `GET ${OPERATION_PATHS.listPaymentMethods.path} answered ${status} with ${what} instead of JSON`,
      {
        advice,
        exitCode,
      },
    )
  }
  if (status === 404 || status === 405) {
    const advice = 'check the base URL: does it need a prefix, such as /v1?'
    return problem(
      'api',
      `GET ${OPERATION_PATHS.listPaymentMethods.path} answered ${status}: the path does not exist`,
      {
        advice,
        exitCode,
      },
    )
  }
  return foreignCheck(answer) ?? ok('api', `answers like the merchant API, after ${ms} ms`)
}

/** A problem if the JSON does not come from this API. */
function foreignCheck({ status, body, text }: Answer): Check | undefined {
  const answered = `GET ${OPERATION_PATHS.listPaymentMethods.path} answered ${status} with`
  const begins = visible(text.trim().slice(0, SHOWN_CHARACTERS))
  const remedy = {
    advice: 'check the base URL: does it need a prefix, such as /v1?',
    exitCode: EXIT.noAnswer,
  }
  if (status >= 200 && status < 300) {
    const [difference] = shapeProblems(body, { resource: 'PaymentMethodOptions' })
    if (difference === undefined) return undefined
    const what = `${difference.field || 'it'} ${difference.message}`
    return problem('api', `${answered} JSON that is not from this API, because ${what}: ${begins}`, remedy)
  }
  const { code } = readErrorBody(Object(body), status)
  if (exitCodeOfAnswer(code, status) !== EXIT.noAnswer) return undefined
  return problem('api', `${answered} an error that is not from this API: ${begins}`, remedy)
}

const SHOWN_CHARACTERS = 100

/** The Date header has whole seconds, and the answer took some time. */
const TOLERATED_MS = 5000

function clockCheck(
  date: string | undefined,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
): Check {
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return ok('clock', 'unknown: the answers have no Date header')
  const ahead = Math.max(0, there - endedAt)
  const behind = Math.max(0, startedAt - (there + 999))
  const seconds = Math.round(Math.max(ahead, behind) / 1000)
  if (Math.max(ahead, behind) <= TOLERATED_MS)
    return ok('clock', 'this machine and the server agree on the time')
  return warning(
    'clock',
    `this machine is ${seconds} s ${ahead > 0 ? 'behind' : 'ahead of'} the server`,
    'synchronize the time with NTP: otherwise webhook signatures may be refused, and relative times are wrong',
  )
}

/** The server reports a denied mode or an invalid request only after it accepted the keys. */
function keysCheck({ status, body }: Answer): Check {
  const { code, message } = readErrorBody(Object(body), status)
  if (status === 429)
    return problem('keys', `unknown: the server received too many requests (${code}, HTTP 429)`, {
      advice: 'wait a minute, and run `paysim doctor` again',
      exitCode: EXIT.unexpected,
    })
  const refused = status === 401 || (status === 403 && code !== 'checkout_mode_not_allowed')
  if (!refused) return ok('keys', 'accepted')
  return problem('keys', `refused: ${message} (${code}, HTTP ${status})`, {
    advice: 'check that both keys are complete, belong together and to this server, and are not revoked',
    exitCode: exitCodeOfAnswer(code, status),
  })
}

function environmentCheck(body: unknown, publicKey: string): Check {
  const answered = memberAt(body, 'environment')
  const expected = isLive(publicKey) ? 'live' : publicKey.startsWith('pk_test_') ? 'test' : undefined
  if (answered !== undefined && expected !== undefined && answered !== expected)
    return problem(
      'environment',
      `the key is a ${expected} key, and the server says ${JSON.stringify(answered)}`,
      {
        advice: 'make no payments, and ask the operator of the server',
        exitCode: EXIT.credentials,
      },
    )
  const environment = typeof answered === 'string' ? answered : expected
  if (environment === 'live')
    return ok('environment', 'live: commands that change something ask first, or need --yes')
  return ok('environment', environment ?? 'unknown: neither the key nor the server says')
}
