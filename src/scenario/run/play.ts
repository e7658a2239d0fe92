import type { Path } from '../load/positions.ts'
import { type Step, type StepOf, type Verb, verbsOf } from '../schema/steps.ts'
import type { PlainVerb } from '../steps/handlers.ts'
import { HANDLERS } from '../steps/index.ts'
import { match } from './match.ts'
import type { Scope } from './scope.ts'
import type { Stage } from './stage.ts'
import type { StepResult } from './step-result.ts'
import { carryOut, type Telling, tell } from './tell.ts'
import { titleOf } from './title.ts'

/** Steps that set something going. */
const STIRRING: ReadonlySet<Verb> = new Set<Verb>([
  'create payment',
  'cancel payment',
  'submit receipt',
  'cancel payout',
  'request',
  'payer chooses',
  'payer approves',
  'payer declines',
  'payer lets expire',
  'payer sends receipt',
  'trigger',
  'create payout',
  'approve payout',
  'succeed payout',
  'fail payout',
  'redeliver',
])

export async function play(steps: readonly object[], path: Path, telling: Telling): Promise<void> {
  for (const [at, step] of steps.entries()) await playStep(step as Step, [...path, at], telling)
}

async function playStep(step: Step, path: Path, telling: Telling): Promise<void> {
  const [verb] = verbsOf(step)
  if (verb === 'repeat') return repeat(step as StepOf<'repeat'>, path, telling)
  if (verb === 'parallel') return parallel(step as StepOf<'parallel'>, path, telling)
  if (verb) return single(verb, step, path, telling)
}

async function single(verb: PlainVerb, step: Step, path: Path, telling: Telling): Promise<void> {
  const { stage, scope } = telling
  const startedAt = performance.now()
  let resolved = step
  const happening = await carryOut(async () => {
    resolved = scope.resolve(step)
    telling.began(titleOf(verb, resolved))
    const handler = HANDLERS[verb] as (
      step: Step,
      stage: Stage,
      scope: Scope,
      path: Path,
    ) => Promise<StepResult>
    const happening = await handler(resolved, stage, scope, path)
    if (STIRRING.has(verb)) stage.stir()
    if (!telling.racing) await stage.settle()
    return happening
  })
  const { as } = resolved as { as?: string }
  if (as !== undefined) scope.set(as, happening.value, happening.answer)
  await tell(verb, titleOf(verb, resolved), path, happening, performance.now() - startedAt, telling)
}

async function repeat(step: StepOf<'repeat'>, path: Path, telling: Telling): Promise<void> {
  const { scope } = telling
  heading('repeat', step, path, telling)
  for (let n = 1; n <= step.repeat; n++) {
    const inner = scope.inner()
    inner.set('n', n)
    await play(step.steps, [...path, 'steps'], { ...telling, scope: inner, depth: telling.depth + 1 })
    for (const [name, value] of inner.captured) if (name !== 'n') scope.set(name, value, inner.answer(name))
    const { until } = step
    if (!until) continue
    const soFar = await carryOut(async () => {
      const { value, is } = inner.resolve(until)
      return { mismatches: match(is, value, 'until', ['until', 'is']) }
    })
    if (soFar.mismatches.length === 0) return
    if (n === step.repeat) await tell('repeat', 'until it is so', path, soFar, 0, telling)
  }
}

async function parallel(step: StepOf<'parallel'>, path: Path, telling: Telling): Promise<void> {
  heading('parallel', step, path, telling)
  const { parallel: how, steps = [] } = step
  const branches = Array.isArray(how)
    ? how.map((branch, at) => ({
        steps: [branch].flat() as object[],
        path: [...path, 'parallel', at],
        single: !Array.isArray(branch),
      }))
    : Array.from({ length: how }, () => ({ steps, path: [...path, 'steps'], single: false }))
  const started = branches.map((branch, at) => {
    const scope = telling.scope.inner()
    if (!Array.isArray(how)) scope.set('n', at + 1)
    const inner: Telling = { ...telling, scope, depth: telling.depth + 1, records: [], racing: true }
    const done = branch.single
      ? playStep(branch.steps[0] as Step, branch.path, inner)
      : play(branch.steps, branch.path, inner)
    return { inner, done }
  })
  // All are waited for, also where one failed: none may go on behind the next step's back.
  const ends = await Promise.allSettled(started.map(({ done }) => done))
  for (const { inner } of started) telling.records.push(...inner.records)
  if (!telling.racing) await telling.stage.settle()
  const failed = ends.find(end => end.status === 'rejected')
  if (failed) throw failed.reason
  capture(
    telling.scope,
    started.map(({ inner }) => inner.scope),
    !Array.isArray(how),
  )
}

/** Copies of one step capture a list, in the order of the copies; branches capture each its own. */
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

function heading(
  verb: 'repeat' | 'parallel',
  step: Step,
  path: Path,
  { stage, depth, records }: Telling,
): void {
  const place = stage.scenario.positions.of(path)
  records.push({
    path,
    verb,
    title: titleOf(verb, step),
    depth,
    sinceStartMs: stage.sinceStartMs,
    tookMs: 0,
    ...place,
  })
}
