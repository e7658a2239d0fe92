import type { Command } from 'commander'
import { newCommand } from '../new-command.ts'

export function command(): Command {
  const scenario = newCommand('scenario').description(
    'Scenario files: check them, begin one, and their schema for editors.',
  )
  const part = (name: string) => newCommand(`scenario ${name}`).name(name)
  scenario.addCommand(
    part('validate')
      .description('Reads files and says all that is wrong with them, with line and column.')
      .argument('<path...>', 'scenario files, or folders of them')
      .action(async (paths: string[]) => (await import('../scenario/files.ts')).validate(paths)),
  )
  scenario.addCommand(
    part('new')
      .description('Writes a scenario to begin with.')
      .argument('<file>', 'a file that is not there yet')
      .action(async (file: string) => (await import('../scenario/files.ts')).begin(file)),
  )
  scenario.addCommand(
    part('schema')
      .description('Prints the JSON Schema of scenario files, for editors.')
      .action(async () => (await import('../scenario/files.ts')).printSchema()),
  )
  return scenario.addHelpText(
    'after',
    '\nExamples:\n  paysim scenario new checkout.yaml\n  paysim scenario validate scenarios',
  )
}
