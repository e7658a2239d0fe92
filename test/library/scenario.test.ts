import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Scenario, ScenarioStep } from '../../src/index.ts'
import type { ScenarioData } from '../../src/scenario/index.ts'
import { runBinary } from '../support/gateway/server.ts'
import { paysim } from '../support/library/library.ts'

/** The library's types are those of the schema: the compiler compares them, with every member there is. */
type KnownKeys<T> = T extends unknown ? keyof T : never
type Same<A, B> = [A, B] extends [B, A] ? true : never
type SchemaStep = NonNullable<ScenarioData['steps']>[number]
type Verb = KnownKeys<SchemaStep>
type Of<Steps, V> = Steps extends unknown ? (V extends keyof Steps ? keyof Steps : never) : never
const same: [
  Same<keyof Scenario, keyof ScenarioData>,
  Same<KnownKeys<ScenarioStep>, Verb>,
  { [V in Verb]: Same<Of<ScenarioStep, V>, Of<SchemaStep, V>> }[Verb],
] = [true, true, true]
const readable = (scenario: Scenario): ScenarioData => scenario

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

test('a scenario that the compiler takes is one that runs', async () => {
  expect([...same, typeof readable]).toEqual([true, true, true, 'function'])
  const folder = await mkdtemp(join(tmpdir(), 'paysim-defined-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'story.json')
  await writeFile(file, JSON.stringify(scenario))
  const { code, stdout, stderr } = await runBinary(['run', file])
  expect(code, stdout + stderr).toBe(0)
})

/** As somebody without a compiler writes it. */
const written = (members: object) => ({ paysim: 1, name: 'a story', ...members }) as unknown as Scenario

test.each([
  [{ step: [] }, 'did you mean steps?'],
  [
    { steps: [{ 'creat payment': {} }] },
    'steps.0.creat payment: creat payment is no step; did you mean create payment?',
  ],
  [{ steps: [{ advance: '5s', notee: 'on' }] }, 'did you mean note?'],
  [{ steps: [{ advance: '5s' }, { 'get payment': `\${payment.id}` }] }, 'refers to nothing captured before'],
  [{ provider: [{ outcom: 'manual' }] }, 'did you mean outcome?'],
  [{ faults: [{ on: 'POST /payment_intent', type: 'reset' }] }, 'POST /payment_intent'],
  [{ clock: 'virtul' }, 'clock'],
  [{ name: '' }, 'name'],
])('defineScenario() refuses %j, as paysim run refuses such a file', (members, says) => {
  expect(() => paysim.defineScenario(written(members))).toThrow(says)
})

test('defineScenario() says all that is wrong at once, and looks for no file', () => {
  const story = written({ steps: [{ 'upload asset': 'other', file: 'not-there-yet.png' }], seed: undefined })
  expect(paysim.defineScenario(story)).toBe(story)
  const both = written({ stps: [], steps: [{ advnce: '5s' }] })
  expect(() => paysim.defineScenario(both)).toThrow(/advnce[\s\S]*stps|stps[\s\S]*advnce/)
  expect(() => paysim.defineScenario(undefined as unknown as Scenario)).toThrow(paysim.ArgumentError)
})
