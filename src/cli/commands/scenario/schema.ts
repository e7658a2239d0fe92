import type { Command } from 'commander'
import { jsonSchema } from '../../../scenario/index.ts'
import { newCommand } from '../../new-command.ts'

export const command = (): Command =>
  newCommand('scenario schema')
    .description('Prints the JSON Schema of scenario files, for editors.')
    .addHelpText('after', '\nExamples:\n  paysim scenario schema > scenario.schema.json')
    .action(() => {
      process.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
    })
