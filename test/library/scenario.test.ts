import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Frozen } from '../../src/contract/schema.ts'
import type { Scenario, ScenarioStep } from '../../src/index.ts'
import type { ScenarioData } from '../../src/scenario/index.ts'
import { runBinary } from '../support/gateway/server.ts'
import { paysim } from '../support/library/library.ts'

/** The library's type has the members of the schema: the compiler compares them. Its steps are those of the verbs. */
type Same<A, B> = [A, B] extends [B, A] ? true : never
const same: Same<keyof Scenario, keyof ScenarioData> = true
const readable = (scenario: Scenario): Frozen<ScenarioData> => scenario

const WRONG_STEPS: ScenarioStep[] = [
  // @ts-expect-error no such member
  { advance: '5s', notee: 'on' },
  // @ts-expect-error no such trigger
  { trigger: 'suceed', payment: 'pi_1' },
  // @ts-expect-error a member is missing
  { 'expect payment': 'pi_1' },
  // @ts-expect-error wrong inside a step
  { repeat: 2, steps: [{ advanse: '5s' }] },
]

const scenario = paysim.defineScenario({
  paysim: 1,
  name: 'The payer pays',
  clock: 'virtual',
  provider: [{ name: 'quick', outcome: { after: '5s', status: 'succeeded' } }],
  steps: [
    {
      'create payment': {
        amount: '25000',
        currency: 'THB',
        country: 'TH',
        checkout_mode: 'merchant',
        payment_method: 'th_promptpay',
        merchant_reference: 'order-1',
        customer: {},
      },
      as: 'payment',
    },
    { advance: '5s' },
    { 'expect payment': `\${payment.id}`, is: { status: 'succeeded' } },
    { 'expect webhooks': 'all', exactly: ['payment.succeeded'] },
  ],
  verify: 'all',
})

test('a scenario that the compiler accepts also runs', async () => {
  expect([same, typeof readable]).toEqual([true, 'function'])
  const folder = await mkdtemp(join(tmpdir(), 'paysim-defined-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'story.json')
  await writeFile(file, JSON.stringify(scenario))
  const { code, stdout, stderr } = await runBinary(['run', file])
  expect(code, stdout + stderr).toBe(0)
})

test('a step that the compiler refuses is refused at run time too', () => {
  for (const step of WRONG_STEPS)
    expect(() => paysim.defineScenario({ paysim: 1, name: 'x', steps: [step] })).toThrow(paysim.ArgumentError)
})

/** As somebody without a compiler writes it. */
const written = (members: object) => ({ paysim: 1, name: 'a story', ...members }) as unknown as Scenario

test.each([
  [{ step: [] }, 'did you mean steps?'],
  [
    { steps: [{ 'creat payment': {} }] },
    'steps.0.creat payment: creat payment is not a step; did you mean create payment?',
  ],
  [{ steps: [{ advance: '5s', notee: 'on' }] }, 'did you mean note?'],
  [
    { steps: [{ advance: '5s' }, { 'get payment': `\${payment.id}` }] },
    'refers to a name that no earlier step stores',
  ],
  [{ provider: [{ outcom: 'manual' }] }, 'did you mean outcome?'],
  [{ faults: [{ on: 'POST /payment_intent', type: 'reset' }] }, 'POST /payment_intent'],
  [{ clock: 'virtul' }, 'clock'],
  [{ name: '' }, 'name'],
])('defineScenario() refuses %j, as paysim run refuses such a file', (members, says) => {
  expect(() => paysim.defineScenario(written(members))).toThrow(says)
})

test('defineScenario() reports all problems at once, and reads no files', () => {
  const story = written({ steps: [{ 'upload asset': 'other', file: 'not-there-yet.png' }], seed: undefined })
  expect(paysim.defineScenario(story)).toBe(story)
  const both = written({ stps: [], steps: [{ advnce: '5s' }] })
  expect(() => paysim.defineScenario(both)).toThrow(/advnce[\s\S]*stps|stps[\s\S]*advnce/)
  expect(() => paysim.defineScenario(undefined as unknown as Scenario)).toThrow(paysim.ArgumentError)
})

test('a scenario with an application can be defined and run', async () => {
  const shop = `require('node:http').createServer((q, s) => s.end('{"open":true}')).listen(process.env.PORT)`
  const withShop = paysim.defineScenario({
    paysim: 1,
    name: 'The shop is open',
    app: { start: [process.execPath, '-e', shop], fresh: 'never' },
    steps: [{ 'call app': 'GET /' }, { 'expect app': 'GET /', is: { open: true } }],
  })
  const folder = await mkdtemp(join(tmpdir(), 'paysim-define-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'shop.json')
  await writeFile(file, JSON.stringify(withShop))
  const { code, stdout } = await runBinary(['run', file])
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('The shop is open') })
})
