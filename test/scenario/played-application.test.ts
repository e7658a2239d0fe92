import { expect, test } from 'vitest'
import type { Application } from '../../src/application/application.ts'
import { ApplicationRun } from '../../src/application/application-run.ts'
import { concludeApplication } from '../../src/scenario/run/conclude.ts'
import { PlayedApplication } from '../../src/scenario/run/played-application.ts'
import type { Stage } from '../../src/scenario/run/stage.ts'

/** A disturbed run of an application, and a stage with payments for these references. */
function disturbed(references: readonly string[]) {
  const app = { quiet: async () => {}, webhookUrl: '', unexpectedEnd: undefined } as unknown as Application
  const run = new ApplicationRun(app, {
    secret: '',
    retries: 9,
    doWhatIsDue: async () => {},
    look: async () => [],
  })
  run.disturbances.arm({ kind: 'call-lost-answer', call: 'POST /payment_intents' })
  const control = {
    timers: async () => [],
    payments: { list: async () => references.map(reference => ({ merchant_reference: reference })) },
  }
  const stage = {
    simulated: { control },
    run: 'run-1',
    noteActivity() {},
    settle: async () => {},
  } as unknown as Stage
  return { played: new PlayedApplication(app, run, undefined), stage }
}

test.each([
  [2, ['run-1-a', 'run-1-b'], undefined],
  [2, ['run-1-a', 'run-1-b', 'run-1-a again'], 'it made 3 payments, and 2 without the disturbance'],
  [2, ['run-1-a', 'run-1-b', 'run-1-b'], 'it made 2 payments with the merchant_reference run-1-b'],
  [undefined, ['run-1-a', 'run-1-b'], undefined],
])('%s payments without a disturbance, and %j with one', async (usual, references, why) => {
  const { played, stage } = disturbed(references)
  played.usualPayments = usual
  await played.end(stage)
  expect((await concludeApplication(stage, played)).map(mismatch => mismatch.why)).toEqual(why ? [why] : [])
})

test('payments that were made after time moved too far do not count', async () => {
  const { played, stage } = disturbed(['a', 'b', 'b'])
  played.usualPayments = 2
  played.isTainted = true
  await played.end(stage)
  expect(await concludeApplication(stage, played)).toEqual([])
})

test('an application that works after it has answered gets the time that it needed before', async () => {
  const { played, stage } = disturbed([])
  const look = { path: [], request: 'GET /', step: {}, held: true, stillHolds: false }
  played.looks.push({ ...look, tookMs: 40 }, { ...look, tookMs: 90_000, held: false })
  let hasWorked = false
  setTimeout(() => {
    hasWorked = true
  }, 60)
  await played.end(stage)
  expect(hasWorked).toBe(true)
})
