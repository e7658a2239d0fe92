import type { Query } from '../../client/address.ts'
import { shapeProblems } from '../../client/answer-shape.ts'
import { type ClientOptions, createClient } from '../../client/create-client.ts'
import { isLive } from '../../client/credentials.ts'
import { readErrorBody } from '../../client/error-body.ts'
import { type Answer, ApiError, NotJsonError } from '../../client/index.ts'
import { PATHS } from '../../client/paths.ts'
import { EXIT, exitCodeOfAnswer } from '../errors/exit-code.ts'
import { visible } from '../output/text.ts'
import { type Check, fault, ok, warning } from './report.ts'

/** A payment as every country of the interface could have it; discovery only reads. */
export const DISCOVERY = { amount: '10000', country: 'TH', currency: 'THB' }

/** Whether what answers is this API and takes the keys. True where more can be asked. */
export async function* checkGateway(probe: Probe, publicKey: string): AsyncGenerator<Check, boolean> {
  const startedAt = Date.now()
  const answer = await probe.ask(PATHS.methods, DISCOVERY)
  const endedAt = Date.now()
  const api = apiCheck(answer, endedAt - startedAt)
  yield api
  if (api.verdict === 'fault') return false
  yield clockCheck(answer.headers.date, { startedAt, endedAt })
  const keys = keysCheck(answer)
  yield keys
  if (keys.verdict === 'fault') return false
  yield environmentCheck(answer.body, publicKey)
  return true
}

function apiCheck(answer: Answer, ms: number): Check {
  const { status, body, text, headers } = answer
  if (status >= 500) {
    const what = typeof body === 'object' && body !== null ? ` ${readErrorBody(body, status).code}` : ''
    const advice = 'the server is at fault: try again, and tell whoever runs it'
    return fault('api', `GET ${PATHS.methods} answered ${status}${what}`, {
      advice,
      exitCode: EXIT.unexpected,
    })
  }
  const exitCode = EXIT.noAnswer
  if (typeof body !== 'object' || body === null) {
    const what = headers['content-type'] ?? (text === '' ? 'nothing' : 'something')
    const advice =
      headers.location === undefined
        ? 'is the base URL that of the API, with its prefix, as /v1?'
        : `it leads to ${headers.location}: is that the base URL?`
    return fault('api', `GET ${PATHS.methods} answered ${status} with ${what}, and no JSON`, {
      advice,
      exitCode,
    })
  }
  if (status === 404 || status === 405) {
    const advice = 'the base URL is not that of the API: is a prefix missing, as /v1?'
    return fault('api', `GET ${PATHS.methods} answered ${status}: there is no such path`, {
      advice,
      exitCode,
    })
  }
  return foreignCheck(answer) ?? ok('api', `answers as this API does, after ${ms} ms`)
}

/** Whatever answers with JSON need not be this API: a fault where it is not. */
function foreignCheck({ status, body, text }: Answer): Check | undefined {
  const answered = `GET ${PATHS.methods} answered ${status} with`
  const begins = visible(text.trim().slice(0, SHOWN_CHARACTERS))
  const remedy = {
    advice: 'is the base URL that of the API, with its prefix, as /v1?',
    exitCode: EXIT.noAnswer,
  }
  if (status >= 200 && status < 300) {
    const [problem] = shapeProblems(body, { resource: 'PaymentMethodOptions' })
    if (problem === undefined) return undefined
    const what = `${problem.field || 'it'} ${problem.message}`
    return fault('api', `${answered} JSON that is not of this API, as ${what}: ${begins}`, remedy)
  }
  const { code } = readErrorBody(Object(body), status)
  if (exitCodeOfAnswer(code, status) !== EXIT.noAnswer) return undefined
  return fault('api', `${answered} an error that is not of this API: ${begins}`, remedy)
}

const SHOWN_CHARACTERS = 100

/** Date has whole seconds, and the answer was some time on its way. */
const TOLERATED_MS = 5000

function clockCheck(
  date: string | undefined,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
): Check {
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return ok('clock', 'not known: the answers do not tell the time')
  const ahead = Math.max(0, there - endedAt)
  const behind = Math.max(0, startedAt - (there + 999))
  const seconds = Math.round(Math.max(ahead, behind) / 1000)
  if (Math.max(ahead, behind) <= TOLERATED_MS)
    return ok('clock', 'this machine and the server agree on the time')
  return warning(
    'clock',
    `this machine is ${seconds} s ${ahead > 0 ? 'behind' : 'ahead of'} the server`,
    'set the time by NTP: webhook signatures are refused when clocks are minutes apart, and relative dates are off',
  )
}

/** A denied mode is said to those alone who may come in, and so is what is wrong with a request. */
function keysCheck({ status, body }: Answer): Check {
  const { code, message } = readErrorBody(Object(body), status)
  if (status === 429)
    return fault('keys', `not known: the server has had too many requests (${code}, HTTP 429)`, {
      advice: 'wait a while, and run `paysim doctor` again',
      exitCode: EXIT.unexpected,
    })
  const refused = status === 401 || (status === 403 && code !== 'checkout_mode_not_allowed')
  if (!refused) return ok('keys', 'accepted')
  return fault('keys', `refused: ${message} (${code}, HTTP ${status})`, {
    advice: 'check that both keys are whole, belong together and to this address, and are not revoked',
    exitCode: exitCodeOfAnswer(code, status),
  })
}

function environmentCheck(body: unknown, publicKey: string): Check {
  const said = member(body, 'environment')
  const expected = isLive(publicKey) ? 'live' : publicKey.startsWith('pk_test_') ? 'test' : undefined
  if (said !== undefined && expected !== undefined && said !== expected)
    return fault('environment', `the key is a ${expected} key, and the server says ${JSON.stringify(said)}`, {
      advice: 'make no payment before whoever runs the server has told why',
      exitCode: EXIT.credentials,
    })
  const environment = typeof said === 'string' ? said : expected
  if (environment === 'live')
    return ok('environment', 'live: what changes something asks first, or needs --yes')
  return ok('environment', environment ?? 'neither the key nor the server says')
}

/** Asks, and takes whatever comes back for an answer. It only ever reads: GET and HEAD. */
export interface Probe {
  ask(path: string, query?: Query, method?: 'GET' | 'HEAD'): Promise<Answer>
  close(): Promise<void>
}

export function openProbe(options: ClientOptions, signal: AbortSignal): Probe {
  const client = createClient({ ...options, light: true })
  return {
    async ask(path, query = {}, method = 'GET') {
      try {
        return await client.request(method, path, { query, signal }).answer()
      } catch (fault) {
        if (fault instanceof ApiError || fault instanceof NotJsonError) return fault.answer
        throw fault
      }
    },
    close: () => client.close(),
  }
}

/** What an answer says under a name, if it is an object. */
export function member(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
}
