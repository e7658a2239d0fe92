import { Command } from 'commander'

/** A command as all of ours are: faults of usage end with 2, on stderr, and say what was meant. */
export function newCommand(name: string): Command {
  return new Command(`paysim ${name}`)
    .showSuggestionAfterError(true)
    .showHelpAfterError(`\`paysim ${name} --help\` lists the options.`)
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
    .configureHelp({ helpWidth: Math.min(100, process.stdout.columns ?? 100) })
}
