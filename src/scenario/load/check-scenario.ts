import { readFileSync } from 'node:fs'
import type { FieldProblem } from '../../contract/errors.ts'
import { operationNames } from '../../contract/operations.ts'
import { resolveContract } from '../../contract/resolve-contract.ts'
import { validator } from '../../contract/validation.ts'
import { packageFile } from '../../package-files.ts'
import { modeOf } from '../schema/account.ts'
import { FileSchema, type ScenarioData } from '../schema/file.ts'
import { catalogueProblems, faultProblems, ruleProblems } from './check-settings.ts'
import { checkReferences, checkSteps, type Reading } from './check-steps.ts'
import { checkVerify } from './check-verify.ts'
import type { PathFinder } from './path.ts'
import { Problems } from './problems.ts'
import type { Standards } from './step-check.ts'

const checkShape = validator(FileSchema)

/** Finds all problems in a scenario. Without a folder, it does not check that named files exist. */
export function checkScenario(data: unknown, positions: PathFinder, folder: string | undefined): Problems {
  const problems = new Problems()
  const shape = checkShape(data)
  problems.add([], shape, positions)
  checkContent(validParts(data, shape), positions, problems, { ...standards(), folder })
  return problems
}

/**
 * The parts whose shape is valid, so that one report has as many problems as possible. Without a valid clock, `let` and
 * `app`, it leaves out the steps, whose check would report false problems.
 */
function validParts(data: unknown, shape: readonly FieldProblem[]): Partial<ScenarioData> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return {}
  const isSound = (name: string) =>
    shape.every(({ field }) => field !== name && !field.startsWith(`${name}.`))
  const kept = new Set(Object.keys(data).filter(isSound))
  if (!isSound('clock') || !isSound('let') || !isSound('app')) kept.delete('steps')
  // An invalid part is still present, so `verify` must not report it as missing.
  if (['provider', 'faults', 'steps'].some(name => name in data && !kept.has(name))) kept.delete('verify')
  return Object.fromEntries(Object.entries(data).filter(([name]) => kept.has(name)))
}

function checkContent(
  data: Partial<ScenarioData>,
  positions: PathFinder,
  problems: Problems,
  standard: Standards,
): void {
  const { provider, catalogue, steps = [] } = data
  if (provider) problems.add([], ruleProblems('provider', provider), positions)
  if (data.faults) problems.add([], faultProblems('faults', data.faults, standard), positions)
  if (catalogue) problems.add([], catalogueProblems('catalogue', catalogue, standard), positions)
  if (data.app?.start !== undefined && data.app.url !== undefined)
    problems.say(
      ['app', 'url'],
      'app has both start and url: keep start to run a command, or url for a running application',
    )
  const reading: Reading = {
    problems,
    positions,
    names: new Set(),
    clockMode: modeOf(data.clock),
    hasApplication: data.app !== undefined,
    standards: standard,
  }
  for (const [name, value] of Object.entries(data.let ?? {})) {
    checkReferences(value, ['let', name], reading)
    reading.names.add(name)
  }
  checkSteps(steps, ['steps'], reading)
  checkVerify(data, problems)
}

let read: Omit<Standards, 'folder'> | undefined

function standards(): Omit<Standards, 'folder'> {
  read ??= {
    catalogue: JSON.parse(readFileSync(packageFile('fixtures/catalogue.json'), 'utf8')),
    operations: [...operationNames(resolveContract({})).keys()],
  }
  return read
}
