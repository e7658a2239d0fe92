import fc from 'fast-check'
import { type FaultRule, WEBHOOK_FAULT_TYPES } from '../../../src/contract/control/faults.ts'
import type { CheckoutMode } from '../../../src/contract/statuses.ts'
import { PAYMENT_TRIGGERS } from '../../../src/contract/statuses.ts'
import { CATALOGUES, PROVIDERS } from './provider.ts'
import { ruleTexts } from './rule-texts.ts'

/** One step of a history. It refers to a record by how recently it was created, because it cannot know its id. */

/** Up to 5, the record is one of those that the step is meant for, if there are any. Otherwise it may be any record. */
const pick = fc.nat(7)
const key = fc.option(fc.nat(3), { nil: undefined, freq: 2 })
const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
const amount = often('5000', '99', '100', '70000', '1000000', '1000001')
const reference = fc.constantFrom('order-1', 'order-2', 'a.b', '*')
const step = <K extends string, T>(kind: K, facts: { [P in keyof T]: fc.Arbitrary<T[P]> }) =>
  fc.record(facts).map(given => ({ kind, ...given }))

/** The answers of receivers, in turn. A `slow` receiver does not answer before the history says so. */
export const ANSWERS = [200, 200, 204, 500, 302, 410, 429, 'slow', 'reset'] as const
const answers = fc.array(fc.constantFrom(...ANSWERS), { minLength: 1, maxLength: 4 })
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const durations = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0, 1, 4999, 5000, 5001, 10_000, 29 * MINUTE, 30 * MINUTE) },
  { weight: 1, arbitrary: fc.constantFrom(24 * HOUR - 1, 24 * HOUR, 72 * HOUR) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 80 * HOUR }) },
)

const creation = {
  mode: fc.constantFrom('hosted' as const, 'merchant' as const),
  method: fc.oneof(
    { weight: 4, arbitrary: fc.constant('transfer') },
    { weight: 3, arbitrary: fc.constantFrom('qr', 'redirect', 'late') },
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant('unknown') },
  ),
  bank: often<string | undefined>(undefined, 'one', 'two', 'three'),
  customer: often<{ name?: string; phone?: string; email?: string }>(
    { name: 'Ann', phone: '0812' },
    { email: 'a@b' },
  ),
}

const merchantSteps = fc.oneof(
  { weight: 12, arbitrary: step('create', { ...creation, amount, reference, key }) },
  { weight: 5, arbitrary: step('cancel', { pick, key }) },
  { weight: 8, arbitrary: step('upload', { pick, image: fc.nat(2), key }) },
  { weight: 4, arbitrary: step('attach', { pick, asset: pick }) },
  { weight: 4, arbitrary: step('repeat', { pick }) },
  {
    weight: 2,
    arbitrary: step('payout-cancel', { pick, reason: fc.constantFrom(undefined, 'wrong account') }),
  },
  { weight: 1, arbitrary: step('unknown', { which: fc.nat(9) }) },
)

const otherSteps = fc.oneof(
  { weight: 6, arbitrary: step('choose', { ...creation, pick }) },
  { weight: 10, arbitrary: step('trigger', { pick, trigger: fc.constantFrom(...PAYMENT_TRIGGERS) }) },
  { weight: 3, arbitrary: step('asset', { image: fc.nat(2), other: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: step('payout', {
      amount,
      reference,
      country: fc.constantFrom('TH', 'VN'),
      currency: fc.constantFrom('THB', 'USD'),
      status: fc.constantFrom(
        'requires_approval' as const,
        'requires_approval' as const,
        'processing' as const,
      ),
      backdated: fc.constantFrom(null, null, 0, 1, 3_600_000),
    }),
  },
  {
    weight: 3,
    arbitrary: step('payout-move', {
      pick,
      trigger: fc.constantFrom('approve' as const, 'approve' as const, 'succeed' as const, 'fail' as const),
    }),
  },
  { weight: 3, arbitrary: step('rules', { rules: fc.option(ruleTexts, { nil: null, freq: 6 }) }) },
  { weight: 1, arbitrary: step('rules-in-front', { rules: ruleTexts }) },
  { weight: 1, arbitrary: step('catalogue', { which: fc.constantFrom(0, 0, ...CATALOGUES.keys()) }) },
  {
    weight: 1,
    arbitrary: step('health', { provider: fc.constantFrom(...PROVIDERS), healthy: often(true, false) }),
  },
  {
    weight: 1,
    arbitrary: step('policy', {
      modes: often<readonly CheckoutMode[]>(['hosted', 'merchant'], ['hosted'], []),
    }),
  },
)

const webhookFault: fc.Arbitrary<FaultRule> = fc
  .record(
    {
      on: fc.constant('webhook'),
      // What a fault holds is let go by the wall clock, or by hand.
      type: fc.constantFrom(...WEBHOOK_FAULT_TYPES.filter(type => type !== 'hold')),
      off: fc.boolean(),
      times: fc.constantFrom(1, 2),
      nth: fc.constantFrom(1, 2),
      probability: fc.constantFrom(0.5),
    },
    { requiredKeys: ['on', 'type'], noNullPrototype: true },
  )
  .chain(fault => {
    const waits = fault.type === 'delay' || fault.type === 'reorder'
    return fc.constantFrom(fault, ...(waits ? [{ ...fault, delay: '10s' }] : []))
  })

const webhookSteps = fc.oneof(
  {
    weight: 2,
    arbitrary: step('endpoint', {
      events: fc.constantFrom(null, null, ['*'], ['payment.updated', 'payout.cancelled']),
      answers,
    }),
  },
  { weight: 1, arbitrary: step('endpoint-removed', { pick }) },
  { weight: 1, arbitrary: step('secret', { pick, overlapMs: fc.constantFrom(0, HOUR) }) },
  { weight: 3, arbitrary: step('redeliver', { pick }) },
  { weight: 1, arbitrary: step('faults', { faults: fc.array(webhookFault, { maxLength: 2 }) }) },
  { weight: 2, arbitrary: step('answer', { pick }) },
  { weight: 1, arbitrary: step('late-answer', { pick }) },
)

const timeSteps = fc.oneof(
  { weight: 5, arbitrary: step('advance', { byMs: durations }) },
  { weight: 8, arbitrary: step('next-timer', { pastMs: fc.constantFrom(-1, 0, 0, 1) }) },
  { weight: 1, arbitrary: step('idle', {}) },
  { weight: 1, arbitrary: step('clock', { rate: fc.constantFrom(null, 1, 60, 0.5) }) },
  { weight: 2, arbitrary: step('restart', { tornBytes: fc.nat(400) }) },
  { weight: 1, arbitrary: step('replay', {}) },
)

export const anyStep = fc.oneof(
  { weight: 8, arbitrary: merchantSteps },
  { weight: 7, arbitrary: otherSteps },
  { weight: 2, arbitrary: webhookSteps },
  { weight: 5, arbitrary: timeSteps },
)
export type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never
export type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>

export const histories = fc.array(anyStep, { minLength: 1, maxLength: 60, size: 'max' })
