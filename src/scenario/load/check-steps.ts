import { closest } from '../../contract/closest.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { validator } from '../../contract/validation.ts'
import { checkMatcher } from '../expect/match.ts'
import { BUILT_IN, referencesIn } from '../run/scope.ts'
import { isPlain, VERBS, verbsOf } from '../verbs/index.ts'
import { type AnyVerb, unknownWord } from '../verbs/verb.ts'
import type { Path, PathFinder, Problems } from './problems.ts'
import type { CheckContext, StepCheck } from './step-check.ts'

/** What is known at a step, such as the stored names and the mode of the clock. */
export interface StepContext {
  readonly problems: Problems
  readonly positions: PathFinder
  readonly standards: CheckContext
  readonly names: Set<string>
  clockMode: 'virtual' | 'real'
  readonly hasApplication: boolean
}

const shapeProblems = ({ schema }: AnyVerb, step: object): readonly FieldProblem[] => validator(schema)(step)

export function checkSteps(steps: readonly unknown[], path: Path, reading: StepContext): void {
  for (const [at, step] of steps.entries()) checkStep(step, [...path, at], reading)
}

function checkStep(step: unknown, path: Path, reading: StepContext): void {
  checkContent(step, path, reading)
  // Even if the step is invalid: a reference to what it stores is not a second problem.
  if (typeof step === 'object' && step !== null && 'as' in step) reading.names.add(String(step.as))
}

function checkContent(step: unknown, path: Path, reading: StepContext): void {
  const { problems } = reading
  if (typeof step !== 'object' || step === null || Array.isArray(step))
    return problems.say(path, 'a step must be an object, such as `advance: 5s`')
  const [name, second] = verbsOf(step)
  const entry = name === undefined ? undefined : VERBS.get(name)
  if (name === undefined || !entry) return sayUnknown(step, path, problems)
  if (second !== undefined)
    return problems.say(
      [...path, second],
      `a step can do only one thing, but this one has ${name} and ${second}: make two steps`,
    )
  const wrong = shapeProblems(entry, step)
  if (wrong.length > 0) return problems.add(path, wrong, reading.positions)
  const { [name]: value, expect, is } = step as Record<string, unknown>
  const check = new Check(entry, path, reading)
  entry.check?.({ step, value }, check)
  if (typeof expect === 'object') check.answer(expect as Record<string, unknown>)
  if ('is' in step) check.expectation(is, ['is'])
  if (isPlain(entry)) check.references(step, [])
}

function sayUnknown(step: object, path: Path, problems: Problems): void {
  const verbs = [...VERBS.keys()]
  for (const key of Object.keys(step)) {
    // `create` is the first word of `create payment`.
    const meant =
      closest(key, verbs) ?? verbs.find(verb => verb.split(' ').includes(key)) ?? similarStart(key, verbs)
    if (meant) return problems.say([...path, key], `${key} is not a step; did you mean ${meant}?`)
  }
  const [key] = Object.keys(step)
  problems.say(
    key === undefined ? path : [...path, key],
    key === undefined
      ? 'the step is empty: docs/scenarios.md lists all steps'
      : `${key} is not a step: docs/scenarios.md lists all steps`,
  )
}

/** The first verb whose first word is similar, such as `create payment` for `creat`. */
function similarStart(key: string, verbs: readonly string[]): string | undefined {
  // Short words, such as `as` and `app`, are similar to every other short word.
  if (key.length < 5) return undefined
  const firstWord = (text: string) => text.split(' ')[0] ?? ''
  const meant = closest(firstWord(key), verbs.map(firstWord))
  return verbs.find(verb => firstWord(verb) === meant)
}

class Check implements StepCheck {
  readonly standards: CheckContext
  readonly names: ReadonlySet<string>

  constructor(
    private readonly entry: AnyVerb,
    private readonly path: Path,
    private readonly reading: StepContext,
  ) {
    this.standards = reading.standards
    this.names = reading.names
  }

  get hasApplication() {
    return this.reading.hasApplication
  }

  get clockMode() {
    return this.reading.clockMode
  }

  set clockMode(mode: 'virtual' | 'real') {
    this.reading.clockMode = mode
  }

  say(path: Path, message: string): void {
    this.reading.problems.say([...this.path, ...path], message)
  }

  add(problems: readonly FieldProblem[]): void {
    this.reading.problems.add(this.path, problems, this.reading.positions)
  }

  expectation(expected: unknown, path: Path, { words }: { readonly words?: false } = {}): void {
    const { problems } = this.reading
    checkMatcher(expected, [...this.path, ...path], problems, (subject, literal, where) => {
      const wrong = words === false ? undefined : unknownWord(this.entry.words, subject, literal)
      if (wrong) problems.say(where, wrong)
    })
  }

  /** An expectation of an answer must not be empty or contradictory. */
  answer(expect: Record<string, unknown>): void {
    if (Object.keys(expect).length === 0)
      this.say(['expect'], 'expect is empty: say what the answer must be, or remove it')
    for (const key of ['status', 'text', 'headers'])
      this.expectation(expect[key], ['expect', key], { words: false })
    // The body of an error is not a record.
    this.expectation(expect.body, ['expect', 'body'], expect.error === undefined ? {} : { words: false })
    const same = expect['same as']
    if (typeof same === 'string' && !this.names.has(same))
      this.say(['expect', 'same as'], `no earlier step stores an answer as ${same}`)
    if (expect.lost && Object.keys(expect).length > 1)
      this.say(['expect', 'lost'], 'a lost answer has nothing else to check: remove lost or the other keys')
  }

  counted(steps: readonly unknown[], path: Path, andThen?: () => void): void {
    const { names } = this.reading
    const hadCount = names.has('n')
    names.add('n')
    checkSteps(steps, [...this.path, ...path], this.reading)
    andThen?.()
    if (!hadCount) names.delete('n')
  }

  branches(branches: readonly unknown[], path: Path): void {
    const before = new Set(this.names)
    for (const [at, branch] of branches.entries()) {
      const own: StepContext = { ...this.reading, names: new Set(before) }
      const inside = [...this.path, ...path, at]
      if (Array.isArray(branch)) checkSteps(branch, inside, own)
      else checkStep(branch, inside, own)
      for (const name of own.names) this.reading.names.add(name)
    }
  }

  references(value: unknown, path: Path): void {
    checkReferences(value, [...this.path, ...path], this.reading)
  }
}

/** Every reference must name a value that an earlier step stores. */
export function checkReferences(value: unknown, path: Path, reading: StepContext): void {
  const { problems, names } = reading
  if (typeof value === 'string') {
    for (const { inner, name } of referencesIn(value)) {
      if (names.has(name) || BUILT_IN.some(word => word === name)) continue
      const meant = name.length > 1 ? closest(name, [...names, ...BUILT_IN]) : undefined
      problems.say(
        path,
        `\${${inner}} refers to a name that no earlier step stores${meant ? `; did you mean ${meant}?` : ''}`,
      )
    }
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) checkReferences(inner, [...path, key], reading)
}

/** A run keeps a record of each step that it plays. */
const MOST_STEPS = 100_000

/** Names the loop with which a run would play too many steps, since loops multiply where one is in another. */
export function checkTotal(steps: readonly unknown[], path: Path, problems: Problems): void {
  const total = totalOf(steps)
  if (total <= MOST_STEPS) return
  const most = steps.findIndex(step => totalOf([step]) > MOST_STEPS)
  problems.say(
    most === -1 ? path : [...path, most],
    `this would play up to ${total.toLocaleString('en')} steps: a run has at most ${MOST_STEPS.toLocaleString('en')}`,
  )
}

/** How many steps are played at most. */
function totalOf(steps: unknown): number {
  if (!Array.isArray(steps)) return 1
  return steps.reduce<number>((sum, step) => {
    const { repeat, parallel, steps: inner = [] } = Object(step) as Loop
    const times = typeof repeat === 'number' ? repeat : typeof parallel === 'number' ? parallel : 1
    const branches = Array.isArray(parallel)
      ? parallel.reduce<number>((all, one) => all + totalOf(one), 0)
      : 0
    return sum + 1 + times * totalOf(inner) + branches
  }, 0)
}

interface Loop {
  readonly repeat?: unknown
  readonly parallel?: unknown
  readonly steps?: unknown
}
