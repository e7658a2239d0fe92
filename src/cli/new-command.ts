import { Command } from 'commander'

/** A command whose usage errors end with exit code 2, and are printed on stderr like all errors of paysim. */
export function newCommand(name: string): Command {
  return new Command(`paysim ${name}`)
    .showSuggestionAfterError(true)
    .showHelpAfterError(`\`paysim ${name} --help\` lists the options.`)
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2))
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'paysim: ')) })
    .configureHelp({ helpWidth: Math.min(100, process.stdout.columns ?? 100) })
}
