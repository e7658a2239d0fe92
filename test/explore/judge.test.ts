import { expect, test } from 'vitest'
import { judge } from '../../src/explore/attempt.ts'
import type { ScenarioResult } from '../../src/scenario/index.ts'

interface Failed {
  readonly verb?: string
  readonly title?: string
  readonly isRefused?: boolean
  readonly violations?: readonly { readonly what: string; readonly message: string }[]
  readonly isDisturbed?: boolean
}

/** A run in which a step failed. */
function failedRun({
  verb = 'expect app',
  title = `${verb} GET /deposits/1`,
  isRefused = false,
  violations = [],
  isDisturbed = true,
}: Failed): ScenarioResult {
  const mismatch = { path: [], subject: 'slips', expected: 2, actual: 1, line: 1, column: 1 }
  const step = { verb, title, failure: { mismatches: [mismatch], ...(isRefused ? { isRefused } : {}) } }
  const application = { violations, unmet: [], isTainted: false, isDisturbed }
  return { ok: false, steps: [step], application } as unknown as ScenarioResult
}

test('an expectation that fails before anything is disturbed proves nothing', () => {
  expect(judge(failedRun({ isDisturbed: false }), 'run-1')).toEqual({ outcome: 'not judged' })
  expect(judge(failedRun({}), 'run-1')).toMatchObject({ outcome: 'failed', failure: { actual: 1 } })
})

test.each([
  ['trigger', true],
  ['payer approves', false],
  ['create payment', false],
  ['call app', true],
])('a run whose step %s could not be played is not judged', (verb, isRefused) => {
  expect(judge(failedRun({ verb, isRefused }), 'run-1')).toEqual({ outcome: 'not judged' })
})

test('what no right application does counts, whatever step could not be played', () => {
  const violations = [{ what: 'error answer', message: 'it answered 500 to a valid webhook payment.failed' }]
  const { outcome, failure } = judge(failedRun({ verb: 'trigger', isRefused: true, violations }), 'run-1')
  expect([outcome, failure?.message]).toEqual(['failed', violations[0]?.message])
  // An expectation says more than that.
  expect(judge(failedRun({ violations }), 'run-1').failure?.message).toContain('slips is 1, not 2')
})
