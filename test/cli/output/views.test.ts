import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { paymentMethodsView } from '../../../src/cli/commands/methods.ts'
import type { View } from '../../../src/cli/output/view.ts'
import { drawAny } from '../../../src/cli/output/view.ts'
import { paymentView } from '../../../src/cli/output/views/payment.ts'
import { payoutsView, payoutTotals, payoutView } from '../../../src/cli/output/views/payouts.ts'
import * as samples from '../../support/cli/samples.ts'
import { screenOf } from '../../support/cli/screen-of.ts'

const VIEWS = {
  payment: paymentView,
  payout: payoutView,
  payouts: payoutsView,
  methods: paymentMethodsView,
  any: { human: drawAny },
} as Record<string, View<unknown>>

const drawn = async (view: string, body: unknown, width: number, level: 0 | 3 = 0) =>
  await VIEWS[view]?.human(body, screenOf(width, level))

test.each([
  ['payouts', samples.payouts],
  ['methods', samples.methods],
] as const)('%s on a screen of 40 columns', async (view, body) => {
  await expect(await drawn(view, body, 40)).toMatchFileSnapshot(`snapshots/${view}-40.txt`)
})

describe.each([60, 100])('%i columns wide', width => {
  test.each([
    ['qr-payment', 'payment', samples.qrPayment],
    ['transfer-payment', 'payment', samples.transferPayment],
    ['redirect-payment', 'payment', samples.redirectPayment],
    ['failed-payment', 'payment', samples.failedPayment],
    ['payouts', 'payouts', samples.payouts],
    ['failed-payout', 'payout', samples.failedPayout],
    ['methods', 'methods', samples.methods],
    ['any', 'any', { ...samples.payouts, page: { size: 5 } }],
  ] as const)('%s', async (name, view, body) => {
    await expect(await drawn(view, body, width)).toMatchFileSnapshot(`snapshots/${name}-${width}.txt`)
  })
})

test('an unknown action is shown unchanged', async () => {
  const body = {
    ...samples.failedPayment,
    status: 'pending',
    next_action: { type: 'open_app', link: { app: 'x' } },
  }
  expect(await drawn('payment', body, 80)).toContain('next action: open_app\n  link.app  x')
})

/** Whole bodies of the right kind, with any value in any place, and bodies of no kind at all. */
function oddBodies(sample: unknown): fc.Arbitrary<unknown> {
  const evil = fc.constantFrom('\u001b[2J', '\u009b31m', 'a\nb', '\u202e')
  const odd = fc.oneof(fc.jsonValue(), evil)
  const changed = (value: unknown): fc.Arbitrary<unknown> => {
    if (Array.isArray(value)) return fc.oneof({ weight: 9, arbitrary: fc.tuple(...value.map(changed)) }, odd)
    if (typeof value !== 'object' || value === null)
      return fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, odd)
    const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changed(member)]))
    return fc.oneof({ weight: 9, arbitrary: fc.record(members, { requiredKeys: [] }) }, odd)
  }
  return changed(sample)
}

test.each([
  ['payment', samples.qrPayment],
  ['payment', samples.transferPayment],
  ['payment', samples.redirectPayment],
  ['payouts', samples.payouts],
  ['payout', samples.failedPayout],
  ['methods', samples.methods],
  ['any', samples.payouts],
])('%s: shows even odd bodies, without control characters', async (view, sample) => {
  await fc.assert(
    fc.asyncProperty(oddBodies(sample), fc.integer({ min: 20, max: 120 }), async (body, width) => {
      const text = stripVTControlCharacters((await drawn(view, body, width, 3)) ?? '')
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
      VIEWS[view]?.rows?.(body)
    }),
    { numRuns: 60 },
  )
})

test('totals add up by currency, and skip invalid records', () => {
  const totals = payoutTotals()
  expect(totals.line()).toBe('0 payouts')
  totals.add(samples.payouts.data)
  totals.add([null, { amount: 'much', currency: 'THB' }])
  expect(totals.line()).toBe('7 payouts, 1,235.49 THB, 5,000,000 VND, 1,234.567 KWD, 250 minor POINTS')
})
