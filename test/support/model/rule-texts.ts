import fc from 'fast-check'
import type { ProviderRule } from '../../../src/contract/control/rules.ts'

const wait = fc.constantFrom('0s', '1ms', '5s', '10m', '30m', '24h', '100h')
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

const match = fc.record(
  {
    kind: fc.constantFrom('payment' as const, 'payout' as const),
    method: fc.constantFrom('transfer', ['qr', 'late'], 'no-such-method'),
    checkout_mode: fc.constantFrom('hosted' as const, 'merchant' as const),
    merchant_reference: fc.constantFrom('order-*', '*', '?rder-1', '*.*', ['a', 'order-2']),
    amount: fc.constantFrom('5000', { gte: '100', lt: '5001' }, { gt: '5000' }),
    nth: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [] },
)

const verdict = fc.record(
  {
    after: wait,
    verdict: fc.constantFrom('accept' as const, 'reject' as const, 'manual' as const),
    message: fc.constant('Not legible'),
  },
  { requiredKeys: ['verdict'] },
)
const outcome = fc.record(
  {
    after: wait,
    status: fc.constantFrom('succeeded' as const, 'failed' as const, 'expired' as const),
    code: fc.constant('declined'),
    message: fc.constant('Declined'),
  },
  { requiredKeys: ['status'] },
)

const paymentRule = fc.record({
  action: optional(fc.record({ after: wait, expires_after: wait }, { requiredKeys: [] })),
  receipt: optional(fc.array(verdict, { minLength: 1, maxLength: 3 })),
  cancel: optional(
    fc.record({
      after: wait,
      outcome: fc.constantFrom(
        'cancelled' as const,
        'succeeded' as const,
        'failed' as const,
        'expired' as const,
        'never' as const,
      ),
    }),
  ),
  outcome: optional(outcome),
  expiry: optional(wait),
})
const payoutRule = fc.record({ approval: optional(fc.record({ after: wait })), outcome: optional(outcome) })

/** Mostly valid rules. Some contradict themselves, so the whole list must be refused. */
export const ruleTexts: fc.Arbitrary<readonly ProviderRule[]> = fc.array(
  fc
    .tuple(
      fc.record({
        match: optional(match),
        not: optional(fc.constantFrom({ method: 'qr' }, { nth: 1 }, { checkout_mode: 'hosted' as const })),
        times: optional(fc.integer({ min: 1, max: 2 })),
        name: optional(fc.constant('a rule')),
        off: optional(fc.boolean()),
      }),
      fc.oneof({ weight: 4, arbitrary: paymentRule }, { weight: 1, arbitrary: payoutRule }),
    )
    .map(([head, body]) => written({ ...head, ...body })),
  { minLength: 1, maxLength: 3 },
)

/** As parsed from JSON: without members that are undefined. */
const written = (rule: object): ProviderRule => JSON.parse(JSON.stringify(rule))
