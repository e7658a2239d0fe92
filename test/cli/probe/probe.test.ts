import type { RequestListener } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { exitCodeOf } from '../../../src/cli/errors/exit-code.ts'
import { type ProbeOptions, probe, questionsOf, REQUESTS } from '../../../src/cli/probe/probe.ts'
import { DECISIONS, type Decision } from '../../../src/contract/decisions.ts'
import { resolveContract } from '../../../src/contract/resolve-contract.ts'
import type { RunningSimulator } from '../../../src/library/running-simulator.ts'
import { startSimulator } from '../../../src/library/start-simulator.ts'
import { openSite } from '../../support/cli/site.ts'
import { isLong } from '../../support/long-form.ts'

/** `paysim probe` learns the contract of a server, and nothing that is not so. */

const KEYS = { publicKey: 'pk_test_probe', secretKey: 'sk_test_probe_secret' }
const PATHS = ['/payment_intents', '/v2/payments', '/pay/create']

/** The switches that a probe can find out, in the order of the register. */
const OBSERVABLE = Object.entries<Decision>(DECISIONS).filter(
  ([, { kind, unobservable, person }]) =>
    kind !== 'constant' && unobservable === undefined && person === undefined,
)

const contracts = fc.record(
  Object.fromEntries(
    OBSERVABLE.map(([key, decision]) => [
      key,
      fc.constantFrom(...(decision.kind === 'choice' ? decision.values : PATHS)),
    ]),
  ),
)

type Account = Awaited<ReturnType<RunningSimulator['createAccount']>>

/** Probes an account on a virtual clock, which the pauses of the probe move. */
const probeAccount = (account: Account, options: Partial<ProbeOptions> = {}) =>
  probe({
    baseUrl: account.baseUrl,
    keys: account,
    allowWrites: true,
    createPath: '/payment_intents',
    signal: new AbortController().signal,
    sleep: async ms => void (await account.clock.advance(`${ms}ms`)),
    ...options,
  })

async function withContract<T>(
  contract: Readonly<Record<string, unknown>>,
  use: (sim: RunningSimulator) => Promise<T>,
): Promise<T> {
  const sim = await startSimulator({ contract, seed: 7 })
  try {
    return await use(sim)
  } finally {
    await sim.stop()
  }
}

const ASKED = questionsOf({ allowWrites: true, onErrand: async () => true })

describe('the register', () => {
  test('has a question for each switch, or the reason why nobody can ask', () => {
    const asked = new Set<string>([...ASKED.map(({ key }) => key), 'payment.after_cancel'])
    for (const [key, { kind, unobservable }] of Object.entries<Decision>(DECISIONS))
      if (kind !== 'constant') expect([key, asked.has(key)]).toEqual([key, unobservable === undefined])
  })

  test('has questions whose requests exist, each request of which answers one', () => {
    const named = new Set(ASKED.flatMap(({ requests }) => requests))
    expect([...named].sort()).toEqual(Object.keys(REQUESTS).sort())
  })
})

test('a contract is recovered from a simulator that has it', { timeout: 600_000 }, async () => {
  let [recovered, possible, runs] = [0, 0, 0]
  const missed: Record<string, number> = {}
  const property = fc.asyncProperty(contracts, async contract => {
    const report = await withContract(contract, async sim =>
      probeAccount(await sim.createAccount({ clock: 'virtual' }), {
        createPath: contract['create.path'] ?? '',
      }),
    )
    const found = Object.entries(report.contract)
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(found.map(([key]) => [key, contract[key]])))
    expect(report.violations).toEqual([])
    recovered += found.length
    possible += OBSERVABLE.length
    runs++
    for (const [key] of OBSERVABLE) if (!(key in report.contract)) missed[key] = (missed[key] ?? 0) + 1
  })
  await fc.assert(property, { numRuns: isLong ? 200 : 3, seed: 36 })
  expect(recovered / possible).toBeGreaterThanOrEqual(0.95)
  // Discovery refuses a checkout mode only if the policy denies one, as another test has it.
  expect(missed).toEqual({ 'methods.denied_mode': runs })
})

describe('a simulator', () => {
  let sim: RunningSimulator
  beforeAll(async () => {
    sim = await startSimulator({
      seed: 7,
      contract: {
        'methods.denied_mode': 'empty',
        'create.path': '/payments',
        'payment.method_after_choice': 'keep_null',
      },
    })
  })
  afterAll(() => sim.stop())
  const open = (settings = {}) => sim.createAccount({ clock: 'virtual', ...settings })

  test('gets only reads, and few, unless writes are allowed', async () => {
    const account = await open()
    const report = await probeAccount(account, { allowWrites: false })
    expect(await account.control.requests()).toEqual([])
    expect(
      (await account.control.export()).entries.filter(entry => (entry as { by?: string }).by === 'merchant'),
    ).toEqual([])
    expect(report.requests).toBeLessThanOrEqual(12)
    expect(report.made).toEqual([])
    expect(report.contract).toMatchObject({ 'auth.failure_status': '401', 'create.path': '/payments' })
    expect(report.unknown.find(({ key }) => key === 'strict.nulls')?.why).toContain('--allow-writes')
  })

  test('has all payments listed that were made, each with a reference, and those cancelled that can be', async () => {
    const account = await open()
    const { made, requests, contract, answers } = await probeAccount(account)
    const payments = await account.control.payments.list()
    expect(made.map(({ id }) => id).sort()).toEqual(payments.map(({ id }) => id).sort())
    for (const { merchant_reference: reference } of payments) expect(reference).toMatch(/^paysim-probe-/)
    const left = payments.filter(({ id }) => made.some(one => one.id === id && !one.cancelled))
    expect(left.map(({ checkout_mode: mode, payment_method: method }) => [mode, method])).toEqual([
      ['hosted', null],
    ])
    expect(requests).toBeLessThanOrEqual(45)
    expect(resolveContract(contract)['create.path']).toBe('/payments')
    expect(answers.every(({ evidence }) => evidence.length > 0)).toBe(true)
  })

  test('shows what only a person brings about, if somebody does it', async () => {
    const key = 'payment.method_after_choice'
    const account = await open()
    const asked: string[] = []
    const { contract, made } = await probeAccount(account, {
      onErrand: async ({ what, url }) => {
        asked.push(what, url)
        await account.clock.advance('1s')
        const payment = (await account.payments.list()).find(({ next_action }) =>
          JSON.stringify(next_action).includes(url),
        )
        await account.payments.choose(payment?.id ?? '', { method: 'th_promptpay' })
        return true
      },
    })
    expect(asked).toEqual([
      expect.stringContaining('choose a payment method'),
      expect.stringMatching(/^http/),
    ])
    expect(contract[key]).toBe('keep_null')
    expect(made.find(({ merchant_reference: text }) => text?.endsWith('-choice'))?.cancelled).toBe(true)
    const whyUnknown = async (answer: boolean) => {
      const { unknown } = await probeAccount(await open(), { onErrand: async () => answer })
      return unknown.find(one => one.key === key)?.why
    }
    expect(await whyUnknown(false)).toContain('nobody did')
    // Somebody may say so without having chosen.
    expect(await whyUnknown(true)).toContain('did not change')
  })

  test('that denies a checkout mode shows how discovery says so', async () => {
    const { contract } = await probeAccount(await open({ checkoutModes: ['merchant'] }))
    expect(contract['methods.denied_mode']).toBe('empty')
  })
})

describe('learns nothing from', () => {
  /** What a probe of a strange server ends with. */
  async function probeSite(listener: RequestListener, options: Partial<ProbeOptions> = {}) {
    const { url, close } = await openSite(listener)
    onTestFinished(close)
    const pauses: number[] = []
    const outcome = await probe({
      baseUrl: url,
      keys: KEYS,
      allowWrites: true,
      createPath: '/payment_intents',
      signal: new AbortController().signal,
      retries: 0,
      sleep: async ms => void pauses.push(ms),
      ...options,
    }).then(
      report => ({ report, code: undefined }),
      error => ({ report: undefined, code: exitCodeOf(error), message: String(error) }),
    )
    return { ...outcome, pauses }
  }
  const METHODS = JSON.stringify({ country: 'TH', currency: 'THB', environment: 'test', methods: [] })

  test.each<[string, RequestListener, number]>([
    ['a web page', (_, answer) => answer.setHeader('content-type', 'text/html').end('<h1>Shop</h1>'), 7],
    ['another JSON API', (_, answer) => answer.end('{"items":[{"id":1}]}'), 7],
    ['an API without this path', (_, answer) => answer.writeHead(404).end('{"message":"Not Found"}'), 7],
    [
      'a server that refuses the keys',
      (_, answer) => answer.writeHead(401).end('{"error":{"code":"unauthorized"}}'),
      3,
    ],
    ['a server that fails', (_, answer) => answer.writeHead(503).end('{"error":{"code":"down"}}'), 1],
    ['a server with live keys', (_, answer) => answer.end(METHODS.replace('test', 'live')), 3],
  ])('%s', async (_, listener, code) => {
    expect(await probeSite(listener)).toMatchObject({ report: undefined, code })
  })

  test('a server that never answers, and an answer that never ends', async () => {
    expect(await probeSite(() => {}, { timeoutMs: 100 })).toMatchObject({ code: 7 })
    const endless: RequestListener = (_, answer) => {
      const more = () => answer.writable && answer.write('{"methods": [', () => setImmediate(more))
      more()
    }
    expect(await probeSite(endless, { timeoutMs: 100 })).toMatchObject({ code: 7 })
  })

  test('a redirect, which gets no credentials', async () => {
    const called: string[] = []
    const other = await openSite((request, answer) => {
      called.push(String(request.url))
      answer.end(METHODS)
    })
    onTestFinished(other.close)
    const { code, message } = {
      message: '',
      ...(await probeSite((_, answer) => answer.writeHead(302, { location: `${other.url}/v1` }).end())),
    }
    expect([code, called]).toEqual([7, []])
    expect(message).toContain(`${other.url}/v1`)
  })

  test('429 for everything, after pauses that are bounded', async () => {
    let requests = 0
    const limited: RequestListener = (_, answer) => {
      requests++
      answer.writeHead(429, { 'retry-after': '20' }).end('{"error":{"code":"rate_limited"}}')
    }
    const { code, pauses } = await probeSite(limited, { retries: 10 })
    expect([code, requests, pauses]).toEqual([1, 4, [20_000, 20_000, 20_000]])
  })

  test('429 for all but the first request: nothing else is asked', async () => {
    let requests = 0
    const { report } = await probeSite((_, answer) => {
      if (++requests === 1) answer.end(METHODS)
      else answer.writeHead(429).end('{"error":{"code":"rate_limited"}}')
    })
    expect([requests, report?.requests, report?.contract]).toEqual([2, 2, {}])
    expect(report?.unknown.find(({ key }) => key === 'errors.body')?.why).toContain('429')
  })

  test('a mock that answers everything with an example, and contradicts the document', async () => {
    const example = JSON.stringify({
      ...JSON.parse(METHODS),
      id: 'pi_1',
      object: 'payment_intent',
      merchant_reference: 'order-1',
      status: 'expired',
      receipt: { status: 'required' },
    })
    const bodies: string[] = []
    const { report } = await probeSite((request, answer) => {
      request.on('data', bytes => bodies.push(String(bytes)))
      answer.writeHead(request.method === 'POST' ? 201 : 200).end(example)
    })
    expect(report?.contract).toEqual({})
    expect(report?.violations.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        'every operation needs credentials, and these belong to nobody',
        'an unknown id must get 404 not_found',
        'a creation must answer with the merchant_reference of the request',
      ]),
    )
    expect(bodies.every(body => body.includes('paysim-probe-') || body === '{}')).toBe(true)
  })

  test('a live key, which is never sent', async () => {
    let requests = 0
    const keys = { publicKey: 'pk_live_a', secretKey: 'sk_live_b' }
    const { code } = await probeSite(() => requests++, { keys })
    expect([code, requests]).toEqual([2, 0])
  })
})

test('evidence has the request, its answer and its time, and no secret', async () => {
  const { url, close } = await openSite((request, answer) => {
    const { authorization = '' } = request.headers
    const isNobody = Buffer.from(authorization.slice(6), 'base64').toString().startsWith('pk_test_paysim')
    const echo = { authorization, secret: KEYS.secretKey, plain: `key ${KEYS.secretKey}` }
    if (isNobody || request.url?.includes('no-such'))
      answer
        .writeHead(request.url?.includes('no-such') ? 404 : 403)
        .end(JSON.stringify({ error: { code: 'not_found', ...echo } }))
    else
      answer.end(
        JSON.stringify({ country: 'TH', currency: 'THB', environment: 'test', methods: [], ...echo }),
      )
  })
  onTestFinished(close)
  const report = await probe({
    baseUrl: url,
    keys: KEYS,
    allowWrites: false,
    createPath: '/payment_intents',
    signal: new AbortController().signal,
  })
  expect(report.contract).toMatchObject({ 'auth.failure_status': '403', 'errors.body': 'nested' })
  const [
    {
      evidence: [first],
    } = { evidence: [] },
  ] = report.answers
  expect(first?.request).toMatch(/^GET \/payment_methods\/options\?amount=10000/)
  expect(first?.answer).toMatch(/^403 \{"error"/)
  expect(Date.parse(first?.at ?? '')).not.toBeNaN()
  const told = JSON.stringify(report)
  expect(told).not.toContain(KEYS.secretKey)
  expect(told).not.toContain(Buffer.from(`${KEYS.publicKey}:${KEYS.secretKey}`).toString('base64'))
})
