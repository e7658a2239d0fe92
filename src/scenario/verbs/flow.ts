import * as Type from '@sinclair/typebox'
import { match } from '../expect/match.ts'
import type { Scope } from '../run/scope.ts'
import { recordStep, resultOf, type StepRun } from '../run/step-result.ts'
import { A_STEP, anything, closed, count, is, maybe } from '../schema/answers.ts'
import { flowVerb } from './verb.ts'

const steps = Type.Unsafe<object[]>({ type: 'array', minItems: 1, items: A_STEP })

/** Steps that contain steps. */
export const FLOW = [
  flowVerb('repeat', {
    value: count(`how many rounds; \${n} counts from 1`),
    beside: {
      until: maybe(
        Type.Object(
          { value: anything('a reference'), is },
          {
            ...closed,
            description: 'ends the repetition early; checked after each round, and fails if it never holds',
          },
        ),
      ),
      steps,
    },
    title: ({ value }) => [`${value} times`],
    check({ step }, check) {
      check.counted(step.steps, ['steps'], () => {
        check.expectation(step.until?.is, ['until', 'is'], { words: false })
        check.references(step.until, ['until'])
      })
    },
    async playInside(step, path, run, runner) {
      const { scope } = run
      for (let n = 1; n <= step.repeat; n++) {
        const inner = scope.inner()
        inner.set('n', n)
        await runner.steps(step.steps, [...path, 'steps'], { ...run, scope: inner, depth: run.depth + 1 })
        for (const [name, value] of inner.captured)
          if (name !== 'n') scope.set(name, value, inner.answer(name))
        const { until } = step
        if (!until) continue
        const soFar = await resultOf(async () => {
          const { value, is } = inner.resolve(until)
          return { mismatches: match(is, value, 'until', ['until', 'is']) }
        })
        if (soFar.mismatches.length === 0) return
        if (n === step.repeat)
          await recordStep({ verb: 'repeat', title: 'until the value matches', path, tookMs: 0 }, soFar, run)
      }
    },
  }),
  flowVerb('parallel', {
    value: Type.Unsafe<number | (object | object[])[]>({
      description: 'the number of parallel copies of `steps`, or a list of parallel branches',
      anyOf: [
        count(`how many copies; \${n} counts them from 1`),
        { type: 'array', minItems: 2, items: { anyOf: [A_STEP, steps] } },
      ],
    }),
    beside: { steps: maybe(steps) },
    title: ({ value }) => [Array.isArray(value) ? `${value.length} branches` : `${value} at once`],
    check({ value, step }, check) {
      if (Array.isArray(value)) {
        if (step.steps)
          check.say(['steps'], 'parallel has a list of branches: remove steps, or give parallel a number')
        check.branches(value, ['parallel'])
      } else if (step.steps) check.counted(step.steps, ['steps'])
      else check.say(['parallel'], 'parallel has a number of copies: add the steps to copy under steps')
    },
    async playInside({ parallel, steps = [] }, path, run, runner) {
      const copies = !Array.isArray(parallel)
      const branches = copies
        ? Array.from({ length: parallel }, () => ({ steps, path: [...path, 'steps'] }))
        : parallel.map((branch, at) => ({ steps: branch, path: [...path, 'parallel', at] }))
      const started = branches.map((branch, at) => {
        const scope = run.scope.inner()
        if (copies) scope.set('n', at + 1)
        const inner: StepRun = { ...run, scope, depth: run.depth + 1, records: [], racing: true }
        const done = Array.isArray(branch.steps)
          ? runner.steps(branch.steps, branch.path, inner)
          : runner.step(branch.steps, branch.path, inner)
        return { inner, done }
      })
      // Wait for all of them even if one failed, so that none continues while the next step runs.
      const ends = await Promise.allSettled(started.map(({ done }) => done))
      for (const { inner } of started) run.records.push(...inner.records)
      if (!run.racing) await run.stage.settle()
      const failed = ends.find(end => end.status === 'rejected')
      if (failed) throw failed.reason
      capture(
        run.scope,
        started.map(({ inner }) => inner.scope),
        copies,
      )
    },
  }),
]

/**
 * Values that copies of the same steps store become lists, in the order of the copies. Each branch stores its own
 * values.
 */
function capture(scope: Scope, branches: readonly Scope[], copies: boolean): void {
  const names = new Set(branches.flatMap(branch => [...branch.captured.keys()]))
  names.delete('n')
  for (const name of names) {
    if (copies)
      scope.set(
        name,
        branches.map(branch => branch.captured.get(name)),
      )
    else
      for (const branch of branches)
        if (branch.captured.has(name)) scope.set(name, branch.captured.get(name), branch.answer(name))
  }
}
