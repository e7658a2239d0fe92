import { writeFile } from 'node:fs/promises'
import { packageFile } from '../../package-files.ts'
import {
  type FileFault,
  jsonSchema,
  loadScenario,
  type Scenario,
  ScenarioFault,
  STARTER,
} from '../../scenario/index.ts'
import { usageFault } from '../usage-fault.ts'
import { findFiles, NoScenario } from './find-files.ts'

/** All scenarios at some paths, or all that is wrong with them. */
export async function loadAll(paths: readonly string[]): Promise<Scenario[]> {
  const faults: FileFault[] = []
  const scenarios: Scenario[] = []
  for (const file of await findFiles(paths)) {
    try {
      scenarios.push(await loadScenario(file))
    } catch (fault) {
      if (!(fault instanceof ScenarioFault)) throw fault
      faults.push(...fault.faults)
    }
  }
  if (faults.length > 0) throw new ScenarioFault(faults)
  return scenarios
}

/** Says what is wrong on stderr, a line each, where that is the files and not us. */
export function refuseFiles(command: string, fault: unknown): void {
  if (fault instanceof ScenarioFault) {
    process.stderr.write(`${fault.message}\n`)
    process.exitCode = 2
  } else if (fault instanceof NoScenario) usageFault(command, fault.message)
  else throw fault
}

export async function validate(paths: readonly string[]): Promise<void> {
  try {
    for (const { file, data } of await loadAll(paths)) process.stdout.write(`${file}: ${data.name}\n`)
  } catch (fault) {
    refuseFiles('scenario validate', fault)
  }
}

export async function begin(file: string): Promise<void> {
  const schema = packageFile('scenarios/schema.json')
  try {
    await writeFile(file, STARTER.replace('SCHEMA', schema), { flag: 'wx' })
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    return usageFault(
      'scenario new',
      exists ? `${file} is there already` : `${file} cannot be written: ${cause}`,
    )
  }
  process.stdout.write(`${file} is a scenario that runs: paysim run ${file}\n`)
}

export function printSchema(): void {
  process.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
}
