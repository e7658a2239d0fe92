import { expect, test } from 'vitest'
import type { Application } from '../../src/application/application.ts'
import { ApplicationRun } from '../../src/application/application-run.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import { PlayedApplication, type UsualRun } from '../../src/scenario/run/played-application.ts'
import { Scope } from '../../src/scenario/run/scope.ts'
import type { Stage } from '../../src/scenario/run/stage.ts'
import { APPLICATION } from '../../src/scenario/verbs/application.ts'

/** A disturbed run of an application, and a stage with payments for these references. */
function disturbed(references: readonly string[], usual: UsualRun = {}) {
  const app = { quiet: async () => {}, webhookUrl: '', unexpectedEnd: undefined } as unknown as Application
  const run = new ApplicationRun(app, {
    secret: '',
    contract: resolveContract(),
    fireDueTimers: async () => {},
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
  return { played: new PlayedApplication(app, run, undefined, usual), stage }
}

test.each([
  [2, ['run-1-a', 'run-1-b'], undefined],
  [2, ['run-1-a', 'run-1-b', 'run-1-a again'], 'it made 3 payments, and 2 without the disturbance'],
  [2, ['run-1-a', 'run-1-b', 'run-1-b'], 'it made 2 payments with the merchant_reference run-1-b'],
  [undefined, ['run-1-a', 'run-1-b'], undefined],
])('%s payments without a disturbance, and %j with one', async (usual, references, why) => {
  const { played, stage } = disturbed(references, usual === undefined ? {} : { payments: usual })
  await played.end(stage)
  expect((await played.conclude(stage)).map(mismatch => mismatch.why)).toEqual(why ? [why] : [])
})

test('two payments of the plain run are no reason for a failure, though the story broke off', async () => {
  const { played, stage } = disturbed(['run-1-a', 'run-1-b', 'run-1-b'], {
    known: ['2 payments run-1-b'],
    payments: 3,
  })
  expect(await played.conclude(stage)).toEqual([])
  expect(played.report().violations).toEqual([])
})

test('payments made after time moved too far do not count', async () => {
  const { played, stage } = disturbed(['a', 'b', 'b'], { payments: 2 })
  played.isTainted = true
  await played.end(stage)
  expect(await played.conclude(stage)).toEqual([])
})

/** What `expect app` says at the end of a disturbed run about an application that answers so, one request after the other. */
async function lookAtTheEnd(answers: readonly (number | 'nothing')[], mayGiveUp: boolean) {
  const { played, stage } = disturbed([])
  const left = [...answers]
  let asked = 0
  const ask = async () => {
    asked += 1
    const shipments = left.length > 1 ? left.shift() : left[0]
    return shipments === 'nothing'
      ? { status: 0, headers: {}, text: '', body: undefined, lost: 'no answer within 2 s' }
      : { status: 200, headers: {}, text: '', body: { shipments } }
  }
  Object.assign(played.app, { ask })
  Object.assign(played, { patience: { midwayMs: 0, atEndMs: 60_000, mayGiveUp: () => mayGiveUp } })
  const advance = async () => ({ body: { fired: 0 } })
  Object.assign(stage, { played, virtual: true, advance })
  await played.end(stage)
  const [expectApp] = APPLICATION.filter(({ name }) => name === 'expect app')
  const value = 'GET /orders/1'
  const step = { 'expect app': value, is: { shipments: 1 }, within: '120s' }
  const scope = new Scope(() => ({ now: 0, start: 0 }))
  const result = await expectApp?.play({ value, step, stage, scope, path: [] } as never)
  return { mismatches: result?.mismatches, isHasty: played.isHasty, asked }
}

test('a state that is as expected only after a while is looked at again: it may change twice', async () => {
  const { mismatches, isHasty } = await lookAtTheEnd([0, 1, 2], true)
  expect(mismatches).toMatchObject([{ subject: 'shipments', expected: 1, actual: 2 }])
  expect(isHasty).toBe(true)
})

test('an application that does not answer the second look in time gets all the time allowed', async () => {
  // The second look ends after 2 s: until then nothing answers.
  const silent = Array.from({ length: 40 }, () => 'nothing' as const)
  expect(await lookAtTheEnd([0, 1, ...silent, 1], false)).toMatchObject({ mismatches: [], isHasty: false })
})

test('a state that is as expected at once is not looked at again', async () => {
  expect(await lookAtTheEnd([1, 2], false)).toMatchObject({ mismatches: [], asked: 1 })
})
