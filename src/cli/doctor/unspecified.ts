import { shapeProblems } from '../../client/answer-shape.ts'
import { readErrorBody } from '../../client/error-body.ts'
import type { Answer } from '../../client/index.ts'
import { PATHS } from '../../client/paths.ts'
import { type Contract, DECISIONS, type DecisionKey, type SwitchKey } from '../../contract/decisions.ts'
import { answerOf } from '../../contract/resolve-contract.ts'
import { DISCOVERY, member, type Probe } from './gateway.ts'
import { type Check, ok, warning } from './report.ts'

/** Where the interface document is silent: what this server answers, beside what the contract in force has. */
export interface UnspecifiedProbe {
  readonly probe: Probe
  /** Signed in with keys that nobody has. */
  readonly stranger: Probe
  readonly contract: Contract
}

export async function* checkUnspecified({
  probe,
  stranger,
  contract,
}: UnspecifiedProbe): AsyncGenerator<Check> {
  const see = (key: SwitchKey, seen: string | undefined) => compared(key, seen, contract)
  const refusal = await stranger.ask(PATHS.methods, DISCOVERY)
  yield* see('auth.failure_status', String(refusal.status))
  yield* see('errors.body', shapeOf(refusal))
  yield* headersOf(refusal)
  const { methods, denied } = await discovered(probe)
  yield* see('methods.denied_mode', denied)
  yield* see('methods.banks_empty', banksEmpty(methods))
  yield* see('methods.payer_keys', payerKeys(methods))
  const lastPage = await probe.ask(PATHS.payouts, { created_after: '9999-01-01T00:00:00Z' })
  yield* payoutsOf(lastPage)
  yield* see('list.last_cursor', lastCursor(lastPage))
  yield* refuses('list.faults', await probe.ask(PATHS.payouts, { limit: 101 }), {
    asked: 'a page of 101',
    status: 400,
    code: 'validation_failed',
  })
  yield* refuses('payout.admin', await probe.ask('/paysim-doctor/no-such-path'), {
    asked: 'an unknown path',
    status: 404,
    code: 'not_found',
  })
  yield* refuses('payout.admin', await probe.ask(PATHS.payouts, {}, 'HEAD'), {
    asked: `HEAD ${PATHS.payouts}`,
    status: 405,
  })
  yield* createPath(await probe.ask(contract['create.path']), contract['create.path'])
}

/** Nothing, where it could not be told. */
function* compared(key: SwitchKey, seen: string | undefined, contract: Contract): Generator<Check> {
  if (seen === undefined) return
  const expected = answerOf(key, contract)
  if (seen === expected) return yield ok(key, seen)
  const decision = DECISIONS[key]
  const allowed = decision.kind === 'choice' && (decision.values as readonly string[]).includes(seen)
  const advice = allowed
    ? `in a contract file: \`${key}: ${seen}\` (--contract, or in the profile)`
    : 'no contract can say so: paysim calls this server all the same, but a simulator will not behave like it'
  yield {
    ...warning(key, `${seen}, where the contract in force has ${expected}`, advice),
    override: allowed ? seen : null,
  }
}

function shapeOf({ body, headers }: Answer): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if (typeof member(body, 'error') === 'object') return 'nested'
  if (headers['content-type']?.includes('problem+json') || member(body, 'title') !== undefined)
    return 'problem'
  return member(body, 'code') === undefined ? 'of another shape' : 'flat'
}

function* headersOf({ headers, requestId }: Answer): Generator<Check> {
  const missing = [
    ...(requestId === undefined ? ['Request-Id'] : []),
    ...(headers['cache-control']?.includes('no-store') ? [] : ['Cache-Control: no-store']),
  ]
  if (missing.length === 0) return yield ok('headers', 'Request-Id, and Cache-Control: no-store')
  const advice =
    missing.length === 1 && missing[0] !== 'Request-Id'
      ? 'keep its answers out of caches between here and there'
      : 'faults can be told to its makers by time alone: -v shows when each call was made'
  yield warning('headers', `answers come without ${missing.join(' and ')}`, advice)
}

interface Discovered {
  readonly methods: readonly unknown[]
  /** How a denied checkout mode is told, if one is denied. */
  readonly denied: string | undefined
}

/** Other pairs of a country and its currency, for merchants who have nothing in the first. */
const ELSEWHERE = [
  ['VN', 'VND'],
  ['ID', 'IDR'],
  ['PH', 'PHP'],
  ['MY', 'MYR'],
]

async function discovered(probe: Probe): Promise<Discovered> {
  const hosted = await probe.ask(PATHS.methods, { ...DISCOVERY, checkout_mode: 'hosted' })
  const merchant = await probe.ask(PATHS.methods, { ...DISCOVERY, checkout_mode: 'merchant' })
  const isDenied = [hosted, merchant].some(({ status }) => status === 403)
  const methods = [...methodsOf(hosted), ...methodsOf(merchant)]
  for (const [country = '', currency = ''] of methods.length > 0 ? [] : ELSEWHERE)
    methods.push(
      ...methodsOf(await probe.ask(PATHS.methods, { amount: DISCOVERY.amount, country, currency })),
    )
  return { methods, denied: isDenied ? '403' : undefined }
}

function methodsOf({ body }: Answer): readonly unknown[] {
  const methods = member(body, 'methods')
  return Array.isArray(methods) ? methods : []
}

function banksEmpty(methods: readonly unknown[]): string | undefined {
  const banks = methods.map(method => member(member(method, 'options'), 'banks'))
  if (banks.includes(undefined)) return 'omit'
  return banks.some(list => Array.isArray(list) && list.length === 0) ? 'empty' : undefined
}

const PAYER_KEYS = 6

function payerKeys(methods: readonly unknown[]): string | undefined {
  const counts = methods.map(method => Object.keys(Object(member(member(method, 'options'), 'payer'))).length)
  if (counts.length === 0) return undefined
  return counts.every(count => count >= PAYER_KEYS) ? 'all' : 'relevant'
}

/** Methods may be there, and payouts be something else altogether. */
function* payoutsOf({ status, body }: Answer): Generator<Check> {
  if (status >= 300) return
  const [problem] = shapeProblems(body, { resource: 'PayoutList' })
  if (problem === undefined) return
  yield warning(
    'payouts',
    `GET ${PATHS.payouts} is answered with ${status}, but not with a list of payouts: ${problem.field || 'it'} ${problem.message}`,
    'payouts cannot be listed here: ask whoever runs the server',
  )
}

/** Nothing was made that late, so the page is the last one. */
function lastCursor({ body, status }: Answer): string | undefined {
  if (status >= 300 || member(body, 'has_more') !== false) return undefined
  const cursor = member(body, 'next_cursor')
  if (cursor === undefined) return 'omit'
  return cursor === '' ? 'empty' : String(cursor)
}

interface RefusalError {
  readonly asked: string
  readonly status: number
  /** None, where the answer has no body. */
  readonly code?: string
}

function* refuses(key: DecisionKey, { status, body }: Answer, expected: RefusalError): Generator<Check> {
  const code = expected.code === undefined ? '' : ` ${readErrorBody(Object(body), status).code}`
  const [seen, wanted] = [
    `${status}${code}`,
    `${expected.status}${expected.code === undefined ? '' : ` ${expected.code}`}`,
  ]
  const message = `${expected.asked} is answered with ${seen.trim()}`
  yield seen === wanted
    ? ok(key, message)
    : warning(
        key,
        `${message}, by the simulator with ${wanted}`,
        'no contract can say so: do not rely on the one or the other',
      )
}

/** The document does not show it, and to try it would make a payment: a read tells whether there is anything. */
function* createPath({ status, headers }: Answer, path: string): Generator<Check> {
  const takesPost = headers.allow?.toUpperCase().includes('POST') === true
  if (status === 405 && takesPost) return yield ok('create.path', `${path} takes POST`)
  if (status !== 404) return yield ok('create.path', `${path} is there (GET is answered with ${status})`)
  yield warning(
    'create.path',
    `${path} is answered with 404: payments seem to be made elsewhere`,
    'in a contract file: `create.path: /where/they/are` (--contract, or in the profile)',
  )
}
