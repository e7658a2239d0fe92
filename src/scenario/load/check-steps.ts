import { closest } from '../../contract/closest.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { type Validator, validator } from '../../contract/validation.ts'
import { STEPS, VERBS, type Verb, verbsOf } from '../schema/steps.ts'
import { checkExpectations } from './check-expectations.ts'
import type { Path } from './positions.ts'
import type { Problems } from './problems.ts'
import type { Reading } from './reading.ts'
import { BUILT_IN, referencesIn } from './references.ts'

const checks = new Map<Verb, Validator>()

function shapeProblems(verb: Verb, step: object): readonly FieldProblem[] {
  const check = checks.get(verb) ?? validator(STEPS[verb])
  checks.set(verb, check)
  return check(step)
}

export function checkSteps(steps: readonly unknown[], path: Path, reading: Reading): void {
  for (const [at, step] of steps.entries()) checkStep(step, [...path, at], reading)
}

function checkStep(step: unknown, path: Path, reading: Reading): void {
  checkOne(step, path, reading)
  // Also of a step that is wrong: what refers to it is not wrong as well.
  if (typeof step === 'object' && step !== null && 'as' in step) reading.names.add(String(step.as))
}

function checkOne(step: unknown, path: Path, reading: Reading): void {
  const { problems } = reading
  if (typeof step !== 'object' || step === null || Array.isArray(step))
    return problems.say(path, 'a step is an object: what it does, and how')
  const [verb, second] = verbsOf(step)
  if (verb === undefined) return sayUnknown(step, path, problems)
  if (second !== undefined)
    return problems.say([...path, second], `a step does one thing: this one says ${verb} and ${second}`)
  const wrong = shapeProblems(verb, step)
  if (wrong.length > 0) return problems.add(path, wrong, reading.positions)
  const read = step as Record<string, unknown>
  problems.add(path, reading.problemsInside(verb, read), reading.positions)
  if (verb === 'advance' && !reading.virtual)
    problems.say([...path, verb], 'advance needs a virtual clock, and this one is real')
  if (verb === 'set clock') reading.virtual = modeOf(read[verb]) === 'virtual'
  checkExpectations(verb, read, path, reading)
  if (verb === 'repeat' || verb === 'parallel') checkInner(verb, read, path, reading)
  else checkReferences(step, path, reading)
}

export const modeOf = (clock: unknown) =>
  typeof clock === 'object' && clock !== null ? (clock as { mode?: unknown }).mode : (clock ?? 'virtual')

function sayUnknown(step: object, path: Path, problems: Problems): void {
  for (const key of Object.keys(step)) {
    // Who writes `create` for `create payment` has begun well.
    const meant = closest(key, VERBS) ?? VERBS.find(verb => verb.split(' ').includes(key)) ?? begunLike(key)
    if (meant) return problems.say([...path, key], `${key} is no step; did you mean ${meant}?`)
  }
  const [key] = Object.keys(step)
  problems.say(
    key === undefined ? path : [...path, key],
    `${key ?? 'nothing'} is no step: docs/scenarios.md lists them`,
  )
}

/** The first of those whose first word was most likely meant: `creat` is `create payment`. */
function begunLike(key: string): string | undefined {
  // `as`, `app` and such are near to everything short.
  if (key.length < 5) return undefined
  const first = closest(
    key.split(' ')[0] ?? '',
    VERBS.map(verb => verb.split(' ')[0] ?? ''),
  )
  return VERBS.find(verb => verb.split(' ')[0] === first)
}

function checkInner(
  verb: 'repeat' | 'parallel',
  step: Record<string, unknown>,
  path: Path,
  reading: Reading,
): void {
  const { problems, names } = reading
  const branches = step.parallel
  if (Array.isArray(branches)) {
    if (step.steps) problems.say([...path, 'steps'], 'steps go with a number of copies: these are branches')
    const before = new Set(names)
    branches.forEach((branch, at) => {
      // Branches run at once: none knows what another one captured.
      const own: Reading = { ...reading, names: new Set(before) }
      const inside = [...path, verb, at]
      if (Array.isArray(branch)) checkSteps(branch, inside, own)
      else checkStep(branch, inside, own)
      for (const name of own.names) names.add(name)
    })
    return
  }
  if (verb === 'parallel' && !step.steps)
    return problems.say([...path, verb], 'parallel says how many, but not of what: steps is missing')
  const counted = names.has('n')
  names.add('n')
  checkSteps(step.steps as unknown[], [...path, 'steps'], reading)
  if (step.until) checkReferences(step.until, [...path, 'until'], reading)
  if (!counted) names.delete('n')
}

/** Whatever is referred to was captured before. */
export function checkReferences(value: unknown, path: Path, reading: Reading): void {
  if (typeof value === 'string') {
    for (const { inner, name } of referencesIn(value)) {
      if (reading.names.has(name) || BUILT_IN.some(word => word === name)) continue
      const meant = name.length > 1 ? closest(name, [...reading.names, ...BUILT_IN]) : undefined
      reading.problems.say(
        path,
        `\${${inner}} refers to nothing captured before${meant ? `; did you mean ${meant}?` : ''}`,
      )
    }
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) checkReferences(inner, [...path, key], reading)
}
