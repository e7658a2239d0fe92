import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
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
  if (shape.length > 0) faults.add([], shape, positions)
  else checkContent(data as ScenarioData, positions, faults, await standards(folder))
  if (!faults.none) throw new ScenarioFault(faults.in(file, positions), nameIn(data))
  return { file, folder, data: data as ScenarioData, positions }
}

function nameIn(data: unknown): string | undefined {
  const name = typeof data === 'object' && data !== null && 'name' in data ? data.name : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}

function checkContent(data: ScenarioData, positions: Positions, faults: Faults, standard: Standards): void {
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
