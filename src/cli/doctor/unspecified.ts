import { shapeProblems } from '../../client/answer-shape.ts'
import { readErrorBody } from '../../client/errors.ts'
import type { Answer } from '../../client/index.ts'
import { type Contract, DECISIONS, type DecisionKey, type SwitchKey } from '../../contract/decisions.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import { answerOf } from '../../contract/resolve-contract.ts'
import { DISCOVERY, member, type Probe } from './gateway.ts'
import { type Check, ok, warning } from './report.ts'

/** For questions that the interface document leaves open: compares this server's answers with the contract. */
export interface UnspecifiedProbe {
  readonly probe: Probe
  /** Uses keys that nobody has. */
  readonly stranger: Probe
  readonly contract: Contract
}

export async function* checkUnspecified({
  probe,
  stranger,
  contract,
}: UnspecifiedProbe): AsyncGenerator<Check> {
  const see = (key: SwitchKey, seen: string | undefined) => compared(key, seen, contract)
  const refusal = await stranger.ask(OPERATION_PATHS.listPaymentMethods.path, DISCOVERY)
  yield* see('auth.failure_status', String(refusal.status))
  yield* see('errors.body', shapeOf(refusal))
  yield* headersOf(refusal)
  const { methods, denied } = await discovered(probe)
  yield* see('methods.denied_mode', denied)
  yield* see('methods.banks_empty', banksEmpty(methods))
  yield* see('methods.payer_keys', payerKeys(methods))
  const lastPage = await probe.ask(OPERATION_PATHS.listPayouts.path, {
    created_after: '9999-01-01T00:00:00Z',
  })
  yield* payoutsOf(lastPage)
  yield* see('list.last_cursor', lastCursor(lastPage))
  yield* refuses('list.faults', await probe.ask(OPERATION_PATHS.listPayouts.path, { limit: 101 }), {
    request: 'a page of 101',
    status: 400,
    code: 'validation_failed',
  })
  yield* refuses('payout.admin', await probe.ask('/paysim-doctor/no-such-path'), {
    request: 'an unknown path',
    status: 404,
    code: 'not_found',
  })
  yield* refuses('payout.admin', await probe.ask(OPERATION_PATHS.listPayouts.path, {}, 'HEAD'), {
    request: `HEAD ${OPERATION_PATHS.listPayouts.path}`,
    status: 405,
  })
  yield* createPath(await probe.ask(contract['create.path']), contract['create.path'])
}

/** Yields no check if the server's answer does not show its decision. */
function* compared(key: SwitchKey, seen: string | undefined, contract: Contract): Generator<Check> {
  if (seen === undefined) return
  const expected = answerOf(key, contract)
  if (seen === expected) return yield ok(key, seen)
  const decision = DECISIONS[key]
  const allowed = decision.kind === 'choice' && (decision.values as readonly string[]).includes(seen)
  const advice = allowed
    ? `add \`${key}: ${seen}\` to a contract file (--contract, or in the profile)`
    : 'no contract allows this value: paysim can call this server, but a simulator cannot behave like it'
  yield {
    ...warning(key, `${seen}, but the contract has ${expected}`, advice),
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
      ? 'make sure that no cache stores the answers of this server'
      : 'without request ids, report errors to the operator with their time; -v prints each call'
  yield warning('headers', `answers have no ${missing.join(' and no ')}`, advice)
}

interface Discovered {
  readonly methods: readonly unknown[]
  /** The answer to a denied checkout mode, if one is denied. */
  readonly denied: string | undefined
}

/** Other countries and their currencies, for merchants without methods in the first one. */
const ELSEWHERE = [
  ['VN', 'VND'],
  ['ID', 'IDR'],
  ['PH', 'PHP'],
  ['MY', 'MYR'],
]

async function discovered(probe: Probe): Promise<Discovered> {
  const hosted = await probe.ask(OPERATION_PATHS.listPaymentMethods.path, {
    ...DISCOVERY,
    checkout_mode: 'hosted',
  })
  const merchant = await probe.ask(OPERATION_PATHS.listPaymentMethods.path, {
    ...DISCOVERY,
    checkout_mode: 'merchant',
  })
  const isDenied = [hosted, merchant].some(({ status }) => status === 403)
  const methods = [...methodsOf(hosted), ...methodsOf(merchant)]
  for (const [country = '', currency = ''] of methods.length > 0 ? [] : ELSEWHERE)
    methods.push(
      ...methodsOf(
        await probe.ask(OPERATION_PATHS.listPaymentMethods.path, {
          amount: DISCOVERY.amount,
          country,
          currency,
        }),
      ),
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

/** Checks that payouts are there too, not only methods. */
function* payoutsOf({ status, body }: Answer): Generator<Check> {
  if (status >= 300) return
  const [problem] = shapeProblems(body, { resource: 'PayoutList' })
  if (problem === undefined) return
  yield warning(
    'payouts',
    `GET ${OPERATION_PATHS.listPayouts.path} answered ${status}, but not with a list of payouts: ${problem.field || 'it'} ${problem.message}`,
    'payouts cannot be listed here: ask the operator of the server',
  )
}

/** No payout is that late, so this page is the last one. */
function lastCursor({ body, status }: Answer): string | undefined {
  if (status >= 300 || member(body, 'has_more') !== false) return undefined
  const cursor = member(body, 'next_cursor')
  if (cursor === undefined) return 'omit'
  return cursor === '' ? 'empty' : String(cursor)
}

interface ExpectedRefusal {
  readonly request: string
  readonly status: number
  /** Missing if the answer has no body. */
  readonly code?: string
}

function* refuses(key: DecisionKey, { status, body }: Answer, expected: ExpectedRefusal): Generator<Check> {
  const code = expected.code === undefined ? '' : ` ${readErrorBody(Object(body), status).code}`
  const [seen, simulated] = [
    `${status}${code}`,
    `${expected.status}${expected.code === undefined ? '' : ` ${expected.code}`}`,
  ]
  const message = `${expected.request} gets ${seen.trim()}`
  yield seen === simulated
    ? ok(key, message)
    : warning(
        key,
        `${message}; the simulator answers ${simulated}`,
        'no contract setting covers this: do not rely on either answer',
      )
}

/** Trying the path would create a payment, so only a read checks whether it exists. */
function* createPath({ status, headers }: Answer, path: string): Generator<Check> {
  const takesPost = headers.allow?.toUpperCase().includes('POST') === true
  if (status === 405 && takesPost) return yield ok('create.path', `${path} accepts POST`)
  if (status !== 404) return yield ok('create.path', `${path} exists (GET answered ${status})`)
  yield warning(
    'create.path',
    `${path} answered 404: the server seems to create payments at another path`,
    'add `create.path: /the/path` to a contract file (--contract, or in the profile)',
  )
}
