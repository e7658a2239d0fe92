import { expect, test } from 'vitest'
import { judge } from '../../src/explore/attempt.ts'
import type { ScenarioResult } from '../../src/scenario/index.ts'

/** A run in which an expectation failed. */
function failedRun(isDisturbed: boolean): ScenarioResult {
  const mismatch = { path: [], subject: 'slips', expected: 2, actual: 1, line: 1, column: 1 }
  const step = {
    verb: 'expect app',
    title: 'expect app GET /deposits/1',
    failure: { mismatches: [mismatch] },
  }
  const application = { violations: [], unmet: [], isTainted: false, isDisturbed }
  return { ok: false, steps: [step], application } as unknown as ScenarioResult
}

test('an expectation that fails before anything is disturbed proves nothing', () => {
  expect(judge(failedRun(false), 'run-1')).toEqual({ outcome: 'not judged' })
  expect(judge(failedRun(true), 'run-1')).toMatchObject({ outcome: 'failed', failure: { actual: 1 } })
})
