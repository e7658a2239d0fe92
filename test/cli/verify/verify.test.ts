import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openScreen } from '../../../src/cli/output/screen.ts'
import {
  type Answered,
  compareAnswers,
  type Difference,
  type Recording,
} from '../../../src/cli/verify/compare.ts'
import { demandFolder, keepRecording, readRecording } from '../../../src/cli/verify/recording.ts'
import { verify, verifyJunit, verifyView } from '../../../src/cli/verify/verify.ts'
import { DECISIONS, type Decision } from '../../../src/contract/decisions.ts'
import type { SimulatedAccount } from '../../../src/library/running-simulator.ts'
import { startSimulator } from '../../../src/library/start-simulator.ts'
import { isLong } from '../../support/long-form.ts'

/** `paysim verify` names what differs between a server and a simulator with its contract, and nothing else. */

/** The switches that a probe can find out. */
const OBSERVABLE = Object.entries<Decision>(DECISIONS).filter(
  ([, { kind, unobservable, person }]) =>
    kind !== 'constant' && unobservable === undefined && person === undefined,
)
const valuesOf = (decision: Decision): readonly string[] =>
  decision.kind === 'choice' ? decision.values : ['/payment_intents', '/payments']

type Contract = Readonly<Record<string, string>>

const contracts: fc.Arbitrary<Contract> = fc.record(
  Object.fromEntries(OBSERVABLE.map(([key, decision]) => [key, fc.constantFrom(...valuesOf(decision))])),
)

/** Verifies a simulator with one contract against another contract. */
async function verifySimulator(
  served: Contract,
  contract: Contract,
  {
    earlier,
    checkoutModes,
    faults,
  }: {
    earlier?: Recording
    checkoutModes?: readonly ('hosted' | 'merchant')[]
    faults?: Parameters<SimulatedAccount['faults']['replace']>[0]
  } = {},
) {
  const sim = await startSimulator({ contract: served, seed: 7 })
  try {
    const account = await sim.createAccount({
      clock: 'virtual',
      webhooks: false,
      ...(checkoutModes ? { checkoutModes } : {}),
    })
    if (faults) await account.faults.replace(faults)
    const createPath = contract['create.path'] ?? '/payment_intents'
    const gateway = {
      baseUrl: account.baseUrl,
      keys: { publicKey: account.publicKey, secretKey: account.secretKey },
      allowWrites: true,
      createPath,
      signal: new AbortController().signal,
      sleep: async (ms: number) => void (await account.clock.advance(`${ms}ms`)),
    }
    return await verify({ gateway, contract, earlier, createPath, signal: gateway.signal })
  } finally {
    await sim.stop()
  }
}

const shortened = (differences: readonly Difference[]) =>
  differences.map(({ kind, name, expected, found }) => ({ kind, name, expected, found }))

test('keys are said to have no effect only where they have none', async () => {
  const saidOf = async (contract: Contract) => {
    const { report } = await verifySimulator(contract, contract)
    return report.not_compared.map(({ why }) => why)
  }
  const withKeys = await saidOf({})
  expect(withKeys).not.toContain('keys have no effect on creations')
  expect(withKeys).toContain('a receipt has shown how a conflict of keys is answered')
  expect(await saidOf({ 'create.idempotency': 'off' })).toContain('keys have no effect on creations')
})

test('a simulator with the contract answers alike', { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(contracts, async contract => {
    const { report } = await verifySimulator(contract, contract)
    expect(report.differences).toEqual([])
    expect(report.compared.length).toBeGreaterThan(25)
    expect(report.ended).toBeNull()
  })
  await fc.assert(property, { numRuns: isLong ? 20 : 1, seed: 36 })
})

const changes = OBSERVABLE.flatMap(([key, decision]) =>
  valuesOf(decision)
    .slice(1)
    .map(value => [key, value, valuesOf(decision)[0] ?? ''] as const),
)
const CHEAP = new Set(['errors.body', 'create.path'])

test.each(changes.filter(([key]) => isLong || CHEAP.has(key)))(
  'of a server that decides %s otherwise (%s), exactly that is named',
  { timeout: 60_000 },
  async (key, found, expected) => {
    const checkoutModes = key === 'methods.denied_mode' ? (['merchant'] as const) : undefined
    const { report } = await verifySimulator({ [key]: found }, {}, checkoutModes ? { checkoutModes } : {})
    const scenarios = namesOfScenarios(report.differences)
    expect(scenarios).toEqual(key === 'create.idempotency' && found === 'off' ? [AGAIN] : [])
    const others = report.differences.filter(({ kind }) => kind !== 'scenario')
    expect(shortened(others)).toEqual([{ kind: 'decision', name: key, expected, found }])
  },
)

const AGAIN = 'Any server: a creation is repeated with its key'
const namesOfScenarios = (differences: readonly Difference[]) =>
  differences.flatMap(({ kind, name }) => (kind === 'scenario' ? [name] : []))

describe('the scenarios that need no simulator', () => {
  test.each([
    ['only at the simulator', { 'create.idempotency': 'off' }, {}, 'passes', 'fails at "the same'],
    ['only at the server', {}, { 'create.idempotency': 'off' }, 'fails at "the same', 'passes'],
  ])('are named if they pass %s', async (_, served, contract, expected, found) => {
    const { report } = await verifySimulator(served, contract)
    expect(report.differences.filter(({ kind }) => kind === 'scenario')).toEqual([
      {
        kind: 'scenario',
        name: AGAIN,
        expected: expect.stringContaining(expected),
        found: expect.stringContaining(found),
        requests: [],
      },
    ])
    expect(report.scenarios).toHaveLength(4)
    const made = report.made.filter(({ merchant_reference: name }) => name?.startsWith('paysim-verify-'))
    expect(made.length).toBeGreaterThan(0)
    // What nobody chose a method for cannot be cancelled, as the server says.
    expect(made.filter(({ why }) => why !== '422 provider_capability_unsupported')).toEqual([])
    const screen = await openScreen(process.stdout, { color: false })
    expect(verifyView.human(report, screen)).toMatch(new RegExp(`${AGAIN} +(fails at|passes)`))
    expect(verifyJunit(report)).toMatch(
      new RegExp(`classname="verify/scenarios" name="${AGAIN}"[^>]*>\n<failure`),
    )
  })

  test('are not compared where they fail alike, and not after the server takes no more requests', async () => {
    const alike = await verifySimulator({ 'create.idempotency': 'off' }, { 'create.idempotency': 'off' })
    expect(alike.report.differences).toEqual([])
    expect(alike.report.scenarios).not.toContain(AGAIN)
    expect(alike.report.not_compared).toContainEqual({
      request: AGAIN,
      why: expect.stringMatching(/^it fails at .* at both$/),
    })
    const fault = { on: 'POST /payment_intents', type: 'status', status: 429 } as const
    const match = { merchant_reference: 'paysim-verify-*' }
    const { report } = await verifySimulator({}, {}, { faults: [{ ...fault, match }] })
    expect(report.scenarios).toEqual([])
    expect(report.ended).toBe('the server takes no more requests (429)')
    expect(report.not_compared.filter(({ why }) => why === report.ended)).toHaveLength(4)
  })
})

describe('a comparison', () => {
  const answered = (over: Partial<Answered>): Recording => ({
    decisions: {},
    requests: {
      plain: {
        request: 'POST /x',
        at: '2026-01-01T00:00:00.000Z',
        status: 201,
        headers: {},
        body: {},
        ...over,
      },
    },
  })
  const apart = (here: Partial<Answered>, there: Partial<Answered>) =>
    shortened(compareAnswers(answered(here), answered(there)).differences)

  test('takes times, ids and texts by their form', () => {
    const body = {
      id: 'pi_1',
      created_at: '2026-01-01T00:00:00.000Z',
      label: 'A',
      merchant_reference: 'paysim-probe-0a1b2c3d-plain',
    }
    const other = {
      id: 'pi_2',
      created_at: '2027-02-03T04:05:06.007Z',
      label: 'B',
      merchant_reference: 'paysim-probe-00000000-plain',
    }
    expect(apart({ body }, { body: other })).toEqual([])
    expect(apart({ body }, { body: { ...other, id: 'x', created_at: '2027-02-03T04:05:06+07:00' } })).toEqual(
      [
        { kind: 'field', name: 'id', expected: 'a text like pi_…', found: 'a text' },
        {
          kind: 'field',
          name: 'created_at',
          expected: 'a time like 0000-00-00T00:00:00.000Z',
          found: 'a time like 0000-00-00T00:00:00+00:00',
        },
      ],
    )
  })

  test('names a status, a header, and a field once, with what is inside it', () => {
    expect(apart({ status: 404, code: 'not_found' }, { status: 404, code: 'unknown' })).toEqual([
      { kind: 'status', name: 'status', expected: '404 not_found', found: '404 unknown' },
    ])
    const headers = {
      'cache-control': 'private, no-store',
      'content-type': 'application/json; charset=utf-8',
    }
    expect(apart({ headers }, { headers: { 'content-type': 'application/json' } })).toEqual([
      { kind: 'header', name: 'cache-control', expected: 'no-store', found: 'missing' },
    ])
    expect(
      apart({ body: { receipt: { status: 'required' } } }, { body: { receipt: null, more: 1 } }),
    ).toEqual([
      { kind: 'field', name: 'receipt', expected: 'an object', found: 'null' },
      { kind: 'field', name: 'more', expected: 'missing', found: 'a number' },
    ])
  })

  test('tells methods apart by their codes', () => {
    const methods = [{ code: 'a', required: true }, { code: 'b' }]
    expect(apart({ body: { methods } }, { body: { methods: methods.toReversed() } })).toEqual([])
    expect(apart({ body: { methods } }, { body: { methods: methods.slice(1) } })).toEqual([
      { kind: 'field', name: 'methods[a]', expected: 'an object', found: 'missing' },
    ])
  })
})

describe('a recording', () => {
  async function folder() {
    const path = await mkdtemp(join(tmpdir(), 'paysim-verify-'))
    onTestFinished(() => rm(path, { recursive: true, force: true }))
    return path
  }

  test('is read as it was kept, compares with the server later, and has no secret', async () => {
    const { recording, report: first } = await verifySimulator({}, {})
    expect([first.differences, first.scenarios.length]).toEqual([[], 4])
    const path = await folder()
    await demandFolder(path)
    await keepRecording(path, recording)
    const earlier = await readRecording(path)
    const texts = await Promise.all((await readdir(path)).map(file => readFile(join(path, file), 'utf8')))
    expect(texts.length).toBeGreaterThan(25)
    expect(texts.join('')).not.toMatch(/sk_test_\w|signature=[^…]|Basic (?!realm)/)
    const same = await verifySimulator({}, {}, { earlier })
    expect([same.report.against, same.report.differences]).toEqual(['recording', []])
    const changed = await verifySimulator({ 'status.receipt': '202' }, {}, { earlier })
    expect(shortened(changed.report.differences)).toEqual([
      { kind: 'decision', name: 'status.receipt', expected: '200', found: '202' },
      { kind: 'status', name: 'status', expected: '200', found: '202' },
    ])
    // Without a server, the recording stands for it.
    const kept = { earlier, createPath: '/payment_intents', signal: new AbortController().signal }
    expect((await verify({ ...kept, contract: {} })).report.differences).toEqual([])
    const { report } = await verify({ ...kept, contract: { 'status.receipt': '202' } })
    expect(report.differences.map(({ name }) => name)).toEqual(['status.receipt'])
  })

  test('replaces only an earlier one, and follows no link', async () => {
    const path = await folder()
    const plain: Answered = { request: 'GET /x', at: '', status: 200, headers: {}, body: {} }
    const recording: Recording = { requests: { plain }, decisions: {} }
    await writeFile(join(path, 'package.json'), '{}')
    await expect(demandFolder(path)).rejects.toThrow('package.json, which is no part')
    await keepRecording(path, recording)
    await expect(demandFolder(path)).rejects.toThrow('package.json, which is no part')
    await rm(join(path, 'package.json'))
    await demandFolder(path)
    // Even a link with the name of a file of the recording is none.
    await rm(join(path, 'plain.json'))
    await symlink('/etc/hostname', join(path, 'plain.json'))
    await expect(demandFolder(path)).rejects.toThrow('plain.json, which is no part')
    const link = `${path}-link`
    await symlink(path, link)
    onTestFinished(() => rm(link))
    await expect(demandFolder(link)).rejects.toThrow('not a folder')
    await expect(demandFolder('/proc/nowhere')).rejects.toThrow('--record /proc/nowhere')
    await expect(readRecording(link.replace('-link', '-none'))).rejects.toThrow('cannot read')
  })
})
