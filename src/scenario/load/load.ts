import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { FieldFault } from '../../contract/errors.ts'
import { operationNames } from '../../contract/operations.ts'
import { resolveContract } from '../../contract/resolve-contract.ts'
import { validator } from '../../contract/validation.ts'
import { packageFile } from '../../package-files.ts'
import { FileSchema, type ScenarioData } from '../schema/file.ts'
import { catalogueFaults, faultFaults, faultsInside, ruleFaults, type Standards } from './check-inside.ts'
import { checkReferences, checkSteps, modeOf } from './check-steps.ts'
import { checkVerify } from './check-verify.ts'
import { Faults, ScenarioFault } from './faults.ts'
import { parseScenario } from './parse.ts'
import type { Positions } from './positions.ts'
import type { Reading } from './reading.ts'

/** A scenario that can be run. */
export interface Scenario {
  readonly file: string
  /** Files that steps name lie from here. */
  readonly folder: string
  readonly data: ScenarioData
  readonly positions: Positions
}

const checkShape = validator(FileSchema)

export async function loadScenario(file: string): Promise<Scenario> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    const message = `cannot be read: ${cause instanceof Error ? cause.message : cause}`
    throw new ScenarioFault([{ file, line: 1, column: 1, message }])
  }
  return readScenario(text, { file, folder: dirname(resolve(file)) })
}

/** Reads the text of a scenario; a ScenarioFault says all that is wrong with it. */
export async function readScenario(
  text: string,
  { file, folder }: { file: string; folder: string },
): Promise<Scenario> {
  const { data, positions } = parseScenario(file, text)
  const faults = new Faults()
  const shape = checkShape(data)
  faults.add([], shape, positions)
  checkContent(soundPart(data, shape), positions, faults, await standards(folder))
  if (!faults.none) throw new ScenarioFault(faults.in(file, positions), nameIn(data))
  return { file, folder, data: data as ScenarioData, positions }
}

function nameIn(data: unknown): string | undefined {
  const name = typeof data === 'object' && data !== null && 'name' in data ? data.name : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}

/**
 * What can be looked into, whatever else is wrong or missing: nobody likes to be told of one thing at a time. The
 * steps need a clock and names that can be read, or what is right would look wrong.
 */
function soundPart(data: unknown, shape: readonly FieldFault[]): Partial<ScenarioData> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return {}
  const isSound = (name: string) =>
    shape.every(({ field }) => field !== name && !field.startsWith(`${name}.`))
  const kept = new Set(Object.keys(data).filter(isSound))
  if (!isSound('clock') || !isSound('let')) kept.delete('steps')
  // What is left out for its shape is there all the same: `verify` must not miss it.
  if (['provider', 'faults', 'steps'].some(name => name in data && !kept.has(name))) kept.delete('verify')
  return Object.fromEntries(Object.entries(data).filter(([name]) => kept.has(name)))
}

function checkContent(
  data: Partial<ScenarioData>,
  positions: Positions,
  faults: Faults,
  standard: Standards,
): void {
  const { provider, catalogue, steps = [] } = data
  if (provider) faults.add([], ruleFaults('provider', provider), positions)
  if (data.faults) faults.add([], faultFaults('faults', data.faults, standard), positions)
  if (catalogue) faults.add([], catalogueFaults('catalogue', catalogue, standard), positions)
  const reading: Reading = {
    faults,
    positions,
    names: new Set(),
    virtual: modeOf(data.clock) === 'virtual',
    faultsInside: (verb, step) => faultsInside(verb, step, standard),
  }
  for (const [name, value] of Object.entries(data.let ?? {})) {
    checkReferences(value, ['let', name], reading)
    reading.names.add(name)
  }
  checkSteps(steps, ['steps'], reading)
  checkVerify(data, faults)
}

let read: Promise<Omit<Standards, 'folder'>> | undefined

async function standards(folder: string): Promise<Standards> {
  read ??= readFile(packageFile('fixtures/catalogue.json'), 'utf8').then(text => ({
    catalogue: JSON.parse(text),
    operations: [...operationNames(resolveContract({})).keys()],
  }))
  return { ...(await read), folder }
}
