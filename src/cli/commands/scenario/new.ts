import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { packageFile } from '../../../package-files.ts'
import { STARTER } from '../../../scenario/index.ts'
import { UsageFault } from '../../faults/usage-fault.ts'
import { newCommand } from '../../new-command.ts'

export const command = (): Command =>
  newCommand('scenario new')
    .description('Writes a scenario to begin with.')
    .argument('<file>', 'a file that is not there yet')
    .addHelpText('after', '\nExamples:\n  paysim scenario new checkout.yaml')
    .action(begin)

async function begin(file: string): Promise<void> {
  const schema = packageFile('scenarios/schema.json')
  try {
    await writeFile(file, STARTER.replace('SCHEMA', schema), { flag: 'wx' })
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    throw new UsageFault(exists ? `${file} is there already` : `${file} cannot be written: ${cause}`)
  }
  process.stdout.write(`${file} is a scenario that runs: paysim run ${file}\n`)
}
