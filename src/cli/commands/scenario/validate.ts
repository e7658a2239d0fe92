import type { Command } from 'commander'
import { newCommand } from '../../new-command.ts'
import { loadAll } from '../../scenario/load-files.ts'

export const command = (): Command =>
  newCommand('scenario validate')
    .description('Reads files and says all that is wrong with them, with line and column.')
    .argument('<path...>', 'scenario files, or folders of them')
    .addHelpText('after', '\nExamples:\n  paysim scenario validate scenarios')
    .action(async (paths: string[]) => {
      for (const { file, data } of await loadAll(paths)) process.stdout.write(`${file}: ${data.name}\n`)
    })
