import { shapeProblems } from '../../client/answer-shape.ts'
import type { Answer } from '../../client/transport/transport.ts'
import { memberAt } from '../../contract/json.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import {
  codeOf,
  isSuccess,
  type ProbeRequest,
  type Question,
  type Reading,
  type Seen,
  shown,
  unclear,
} from './inquiry.ts'

/** What requests show that change nothing. */

/** A payment that any country could have. */
export const DISCOVERY = { amount: '10000', country: 'TH', currency: 'THB' }
/** More than any route takes. */
export const TOO_MUCH = '999999999999999'

/** Other countries and their currencies, for merchants without methods in the first one. */
const ELSEWHERE: Readonly<Record<string, string>> = { VN: 'VND', ID: 'IDR', PH: 'PHP', MY: 'MYR' }

const { path: METHODS } = OPERATION_PATHS.listPaymentMethods
const { path: PAYOUTS } = OPERATION_PATHS.listPayouts
const NO_RECORD = 'paysim-probe-no-such-record'

const discovery = (more: Readonly<Record<string, string>>): ProbeRequest => ({
  make: () => ({ method: 'GET', path: METHODS, query: { ...DISCOVERY, ...more } }),
  contradiction: (answer, seen) =>
    contradictsDiscovery(answer, { ...DISCOVERY, ...more, environment: seen.environment }),
})

function contradictsDiscovery(
  { status, body }: Answer,
  asked: Readonly<Record<string, string>>,
): string | undefined {
  if (status < 200 || status > 299) return undefined
  const [problem] = shapeProblems(body, { resource: 'PaymentMethodOptions' })
  if (problem) return `discovery: ${problem.field || 'it'} ${problem.message}`
  const wrong = ['country', 'currency', 'environment'].find(name => memberAt(body, name) !== asked[name])
  return wrong && `discovery must have the ${wrong} of the request and its key, ${asked[wrong]}`
}

const elsewhere = Object.entries(ELSEWHERE).map(([country, currency], at, all): [string, ProbeRequest] => [
  `methods in ${country}`,
  {
    ...discovery({ country, currency }),
    make: seen =>
      ['methods', 'merchant methods', ...all.slice(0, at).map(([other]) => `methods in ${other}`)].some(
        name => methodsOf(seen.answer(name)).length > 0,
      )
        ? 'another country has methods'
        : { method: 'GET', path: METHODS, query: { ...DISCOVERY, country, currency } },
  },
])

/** Where else payments may be created. They are asked about if the path of the document's other calls does not exist. */
const GUESSES = ['/payments', '/payments/create', '/payment-intents']
const GUESS = 'create path: '

const takesPost = (answer: Answer | undefined) =>
  answer?.status === 405 &&
  answer.headers.allow
    ?.toUpperCase()
    .split(/[\s,]+/)
    .includes('POST') === true

const guessed = (seen: Seen) => GUESSES.find(path => takesPost(seen.answer(GUESS + path)))

/** The path that creates payments, as far as it is known. */
export const createPathOf = (seen: Seen): string => guessed(seen) ?? seen.createPath

/** The requests that show where payments are created. */
export const CREATE_PATHS = ['create path', ...GUESSES.map(path => GUESS + path)]

export const READS: Readonly<Record<string, ProbeRequest>> = {
  methods: discovery({}),
  nobody: {
    make: () => ({ method: 'GET', path: METHODS, query: DISCOVERY, asNobody: true }),
    contradiction: answer =>
      isSuccess(answer) ? 'every operation needs credentials, and these belong to nobody' : undefined,
  },
  'merchant methods': discovery({ checkout_mode: 'merchant' }),
  ...Object.fromEntries(elsewhere),
  'last page': {
    // No payout is that late.
    make: () => ({ method: 'GET', path: PAYOUTS, query: { created_after: '9999-01-01T00:00:00Z' } }),
    contradiction: answer => {
      const [problem] = isSuccess(answer) ? shapeProblems(answer.body, { resource: 'PayoutList' }) : []
      return problem && `the list of payouts: ${problem.field || 'it'} ${problem.message}`
    },
  },
  'no payment': {
    make: () => ({ method: 'GET', path: `/payment_intents/${NO_RECORD}` }),
    contradiction: answer =>
      shown(answer) === '404 not_found' ? undefined : 'an unknown id must get 404 not_found',
  },
  'create path': { make: seen => ({ method: 'GET', path: seen.createPath }) },
  ...Object.fromEntries(
    GUESSES.map((path): [string, ProbeRequest] => [
      GUESS + path,
      {
        make: seen =>
          seen.createPath !== OPERATION_PATHS.createPayment.path ||
          seen.answer('create path')?.status !== 404 ||
          guessed(seen) !== undefined
            ? 'another path is known'
            : { method: 'GET', path },
      },
    ]),
  ),
  'page of 101': { make: () => ({ method: 'GET', path: PAYOUTS, query: { limit: 101 } }) },
  'unknown path': { make: () => ({ method: 'GET', path: '/paysim-probe/no-such-path' }) },
  'head of payouts': { make: () => ({ method: 'HEAD', path: PAYOUTS }) },
}

export const DISCOVERIES = ['methods', 'merchant methods', ...elsewhere.map(([name]) => name)]

export function methodsOf(answer: Answer | undefined): readonly unknown[] {
  const methods = isSuccess(answer) ? memberAt(answer.body, 'methods') : undefined
  return Array.isArray(methods) ? methods : []
}

const allMethods = (seen: Seen) => DISCOVERIES.flatMap(name => methodsOf(seen.answer(name)))
const NO_METHODS: Reading = { why: 'no country that was asked about has payment methods' }

const HEADERS = 'Request-Id, and Cache-Control: no-store'
const PAYER_KEYS = 6

export const READ_QUESTIONS: readonly Question[] = [
  {
    key: 'auth.failure_status',
    requests: ['nobody'],
    read: seen => oneOf(String(seen.answer('nobody')?.status), ['401', '403'], seen.answer('nobody')),
  },
  {
    key: 'errors.body',
    requests: ['nobody'],
    read: seen => shapeOf(seen.answer('nobody')),
  },
  {
    key: 'headers',
    simulated: HEADERS,
    requests: ['nobody'],
    read: seen => {
      const answer = seen.answer('nobody')
      const missing = [
        ...(answer?.requestId === undefined ? ['Request-Id'] : []),
        ...(answer?.headers['cache-control']?.includes('no-store') ? [] : ['Cache-Control: no-store']),
      ]
      return {
        value: missing.length === 0 ? HEADERS : `answers have no ${missing.join(' and no ')}`,
      }
    },
  },
  {
    key: 'list.last_cursor',
    requests: ['last page'],
    read: seen => {
      const answer = seen.answer('last page')
      if (!isSuccess(answer) || memberAt(answer.body, 'has_more') !== false)
        return unclear(answer, 'the list of payouts showed no last page')
      const cursor = memberAt(answer.body, 'next_cursor')
      if (cursor === undefined) return { value: 'omit' }
      return cursor === null || cursor === ''
        ? { value: cursor === '' ? 'empty' : 'null' }
        : { why: 'the last page has another next_cursor' }
    },
  },
  {
    key: 'create.path',
    requests: CREATE_PATHS,
    read: seen => {
      if (takesPost(seen.answer('create path')) || guessed(seen) !== undefined)
        return { value: createPathOf(seen) }
      return unclear(
        seen.answer('create path'),
        `GET ${seen.createPath} does not show that it creates payments (--create-path names another path)`,
      )
    },
  },
  {
    key: 'methods.banks_empty',
    requests: DISCOVERIES,
    read: seen => {
      const banks = allMethods(seen).map(method => memberAt(method, 'options', 'banks'))
      if (banks.length === 0) return NO_METHODS
      const found = [
        ...(banks.includes(undefined) ? ['omit'] : []),
        ...(banks.some(list => Array.isArray(list) && list.length === 0) ? ['empty'] : []),
      ]
      const [value] = found
      if (value !== undefined && found.length === 1) return { value }
      return { why: found.length > 1 ? 'methods differ' : 'every method has banks to choose from' }
    },
  },
  {
    key: 'methods.payer_keys',
    requests: DISCOVERIES,
    read: seen => {
      const payers = allMethods(seen).map(method =>
        Object.values(Object(memberAt(method, 'options', 'payer'))),
      )
      if (payers.length === 0) return NO_METHODS
      if (payers.some(keys => keys.length < PAYER_KEYS)) return { value: 'relevant' }
      // A route that needs all six looks the same under both answers.
      return payers.flat().some(key => memberAt(key, 'required') === false)
        ? { value: 'all' }
        : { why: 'every method needs every key' }
    },
  },
  {
    key: 'methods.denied_mode',
    requests: ['methods', 'merchant methods'],
    read: seen =>
      ['methods', 'merchant methods'].some(
        name => shown(seen.answer(name)) === '403 checkout_mode_not_allowed',
      )
        ? { value: '403' }
        : { why: 'discovery refused neither checkout mode' },
  },
  {
    key: 'list.faults',
    simulated: 'a page of 101 gets 400 validation_failed',
    requests: ['page of 101'],
    read: seen => ({ value: `a page of 101 gets ${shown(seen.answer('page of 101'))}` }),
  },
  {
    key: 'payout.admin',
    simulated: `an unknown path gets 404 not_found; HEAD ${PAYOUTS} gets 405`,
    requests: ['unknown path', 'head of payouts', 'no payment'],
    read: seen => ({
      value: `an unknown path gets ${shown(seen.answer('unknown path'))}; HEAD ${PAYOUTS} gets ${seen.answer('head of payouts')?.status}`,
    }),
  },
]

export function oneOf(value: string, values: readonly string[], answer: Answer | undefined): Reading {
  return values.includes(value) ? { value } : unclear(answer, 'no contract allows this answer')
}

function shapeOf(answer: Answer | undefined): Reading {
  if (!answer || isSuccess(answer)) return unclear(answer, 'the request was not refused')
  const { body, headers } = answer
  if (typeof memberAt(body, 'error', 'code') === 'string') return { value: 'nested' }
  if (headers['content-type']?.includes('problem+json') && typeof memberAt(body, 'title') === 'string')
    return { value: 'problem' }
  if (typeof memberAt(body, 'code') === 'string' && memberAt(body, 'title') === undefined)
    return { value: 'flat' }
  return { why: `an error body of another shape (${codeOf(answer)})` }
}
