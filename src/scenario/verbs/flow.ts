import * as Type from '@sinclair/typebox'
import { match } from '../expect/match.ts'
import { recordStep, resultOf } from '../run/record-step.ts'
import type { Scope } from '../run/scope.ts'
import type { StepRun } from '../run/step-run.ts'
import { A_STEP, anything, closed, count, is, maybe } from '../schema/words.ts'
import { flowVerb } from './verb.ts'

const steps = Type.Unsafe<object[]>({ type: 'array', minItems: 1, items: A_STEP })

/** Steps that are made of steps. */
export const FLOW = [
  flowVerb('repeat', {
    value: count(`how often; \${n} counts from 1`),
    beside: {
      until: maybe(
        Type.Object(
          { value: anything('a reference'), is },
          { ...closed, description: 'ends it early, looked at after each round; it must come true' },
        ),
      ),
      steps,
    },
    needs: 'any',
    moves: false,
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
          await recordStep({ verb: 'repeat', title: 'until it is so', path, tookMs: 0 }, soFar, run)
      }
    },
  }),
  flowVerb('parallel', {
    value: Type.Unsafe<number | (object | object[])[]>({
      description: 'so many copies of `steps` at once, or these branches',
      anyOf: [
        count(`how many; \${n} counts them from 1`),
        { type: 'array', minItems: 2, items: { anyOf: [A_STEP, steps] } },
      ],
    }),
    beside: { steps: maybe(steps) },
    needs: 'any',
    moves: false,
    title: ({ value }) => [Array.isArray(value) ? `${value.length} branches` : `${value} at once`],
    check({ value, step }, check) {
      if (Array.isArray(value)) {
        if (step.steps) check.say(['steps'], 'steps go with a number of copies: these are branches')
        check.branches(value, ['parallel'])
      } else if (step.steps) check.counted(step.steps, ['steps'])
      else check.say(['parallel'], 'parallel says how many, but not of what: steps is missing')
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
      // Also where one failed, all are waited for: none may go on while the next step runs.
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

/** What copies of the same steps capture becomes a list, in their order. Each branch captures for itself. */
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
