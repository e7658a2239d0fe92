import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { FieldProblem } from '../../contract/errors.ts'
import { operationNames } from '../../contract/operations.ts'
import { resolveContract } from '../../contract/resolve-contract.ts'
import { validator } from '../../contract/validation.ts'
import { readPackageFile } from '../../package-files.ts'
import { modeOf } from '../schema/account.ts'
import { type Check, FileSchema, type Scenario, type ScenarioData } from '../schema/file.ts'
import { VERBS, verbsOf } from '../verbs/index.ts'
import { checkReferences, checkSteps, checkTotal, type StepContext } from './check-steps.ts'
import { type FileProblem, type Path, type PathFinder, Problems } from './problems.ts'
import {
  type CheckContext,
  catalogueProblems,
  faultProblems,
  OUT_OF_REACH,
  ruleProblems,
} from './step-check.ts'

const everyPart = <T>(make: (name: string, schema: TSchema) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(FileSchema.properties).map(([name, part]) => [name, make(name, part)]))

/** Which parts a file has, whatever is in them. */
const checkWhole = validator({ ...FileSchema, properties: everyPart(() => Type.Unknown()) })

/**
 * Each part has its own validator, compiled for the first file that has it: to compile all of them took longer than to
 * run a short file. Rules and faults are checked by their readers, which the simulator uses too.
 */
const PARTS: Record<
  string,
  (data: Partial<ScenarioData>, standard: CheckContext) => readonly FieldProblem[]
> = {
  ...everyPart((name, schema) => validator(Type.Object({ [name]: schema }))),
  provider: ({ provider }) => ruleProblems('provider', provider),
  faults: ({ faults }, standard) => faultProblems('faults', faults, standard),
}

/** Finds all problems in a scenario. Where its folder is not known, it does not check that named files exist. */
export function checkScenario(
  data: unknown,
  positions: PathFinder,
  folder: CheckContext['folder'],
): Problems {
  const problems = new Problems()
  const standard = { ...standards(), folder }
  const found = partProblems(data, standard)
  problems.add([], found, positions)
  const declared = Object(data)
  checkContent(soundParts(data, found), { positions, problems, standard, declared })
  return problems
}

function partProblems(data: unknown, standard: CheckContext): readonly FieldProblem[] {
  const whole = checkWhole(data)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return whole
  const present = Object.entries(PARTS).filter(([name]) => Object.hasOwn(data, name))
  return [...whole, ...present.flatMap(([, check]) => check(data, standard))]
}

/** The parts without problems, so that one report has all problems. */
function soundParts(data: unknown, found: readonly FieldProblem[]): Partial<ScenarioData> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return {}
  const isSound = (name: string) =>
    found.every(({ field }) => field !== name && !field.startsWith(`${name}.`))
  const kept = new Set(Object.keys(data).filter(isSound))
  // An invalid part is still present, so `verify` must not report it as missing.
  if (['provider', 'faults', 'steps'].some(name => name in data && !kept.has(name))) kept.delete('verify')
  return Object.fromEntries(Object.entries(data).filter(([name]) => kept.has(name)))
}

interface Checking {
  readonly positions: PathFinder
  readonly problems: Problems
  readonly standard: CheckContext
  /** The file as it is written: it has an application, even if that has problems. */
  readonly declared: { readonly app?: unknown }
}

function checkContent(
  data: Partial<ScenarioData>,
  { positions, problems, standard, declared }: Checking,
): void {
  const { catalogue, steps = [] } = data
  if (catalogue) problems.add([], catalogueProblems('catalogue', catalogue, standard), positions)
  if (declared.app !== undefined && standard.folder === null) problems.say(['app'], `app ${OUT_OF_REACH}`)
  if (data.app?.start !== undefined && data.app.url !== undefined)
    problems.say(
      ['app', 'url'],
      'app has both start and url: keep start to run a command, or url for a running application',
    )
  if (data.app?.restart !== undefined && data.app.url === undefined)
    problems.say(
      ['app', 'restart'],
      'app.restart is for a running application: add url, or remove restart, because paysim restarts what it starts itself',
    )
  const reading: StepContext = {
    problems,
    positions,
    names: new Set(),
    clockMode: modeOf(data.clock),
    hasApplication: declared.app !== undefined,
    standards: standard,
  }
  for (const [name, value] of Object.entries(data.let ?? {})) {
    checkReferences(value, ['let', name], reading)
    reading.names.add(name)
  }
  checkSteps(steps, ['steps'], reading)
  checkTotal(steps, ['steps'], problems)
  checkVerify(data, problems)
}

let read: Omit<CheckContext, 'folder'> | undefined

function standards(): Omit<CheckContext, 'folder'> {
  read ??= {
    catalogue: JSON.parse(readPackageFile('fixtures/catalogue.json').toString()),
    operations: [...operationNames(resolveContract({})).keys()],
  }
  return read
}

/** What each check needs in the file, and how a user adds it. */
const NEEDS = {
  rules: { key: 'provider', steps: ['set rules', 'add rules'], checks: 'every rule was used' },
  faults: { key: 'faults', steps: ['set faults'], checks: 'every fault was hit' },
} as const satisfies Partial<Record<Check, object>>

/** "Every rule was used" is always true if there are no rules, so a file that names this check must have rules. */
function checkVerify(data: Partial<ScenarioData>, problems: Problems): void {
  // `all` checks only what the file has.
  if (!Array.isArray(data.verify)) return
  for (const [at, check] of data.verify.entries()) {
    if (check !== 'rules' && check !== 'faults') continue
    const { key, steps, checks } = NEEDS[check]
    const has = (data[key] ?? []).length > 0 || steps.some(step => isListed(data.steps ?? [], step))
    if (!has)
      problems.say(
        ['verify', at],
        `verify checks that ${checks}, but this file has no ${check}: add one under ${key}, or remove ${check} from verify`,
      )
  }
}

/** Whether a step, or one inside `repeat` or `parallel`, has a list under this key. */
function isListed(value: unknown, word: string): boolean {
  if (Array.isArray(value)) return value.some(item => isListed(item, word))
  if (typeof value !== 'object' || value === null) return false
  const { [word]: list, steps, parallel } = value as Record<string, unknown>
  return (Array.isArray(list) && list.length > 0) || isListed(steps, word) || isListed(parallel, word)
}

/** Parts of a file that only a simulator can do or show. */
const OF_A_SIMULATOR = [
  'clock',
  'catalogue',
  'policy',
  'provider',
  'faults',
  'receiver',
  'app',
  'verify',
] as const

/** Everything in a scenario that needs a simulator. */
export function simulatorOnlyParts({ file, data, positions }: Scenario): FileProblem[] {
  const found: FileProblem[] = []
  const say = (path: Path, what: string) =>
    found.push({
      file,
      ...positions.of(path),
      message: `${what} needs a simulator: remove it, or run without --base-url`,
    })
  for (const key of OF_A_SIMULATOR) if (data[key] !== undefined) say([key], key)
  const walk = (steps: readonly unknown[], path: Path): void => {
    for (const [at, step] of steps.entries()) walkStep(step, [...path, at])
  }
  const walkStep = (step: unknown, path: Path): void => {
    if (Array.isArray(step)) return walk(step, path)
    const facts = step as Record<string, unknown>
    const [verb = ''] = verbsOf(facts)
    if (VERBS.get(verb)?.needs === 'simulator') say([...path, verb], verb)
    if (facts.keys === 'live' || facts.keys === 'test') say([...path, 'keys'], `keys: ${facts.keys}`)
    if (Array.isArray(facts.parallel)) walk(facts.parallel, [...path, 'parallel'])
    if (Array.isArray(facts.steps)) walk(facts.steps, [...path, 'steps'])
  }
  walk(data.steps ?? [], ['steps'])
  return found
}
