import { resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { type CommandTable, newCommand } from '../command-table.ts'
import { choice } from '../flag-values.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'json'] as const
type Shell = (typeof SHELLS)[number]

export const command = (all: CommandTable): Command =>
  newCommand('completion')
    .description(
      'Print a script that lets your shell complete commands, options, values, profiles, accounts and files.',
    )
    .addArgument(
      new Argument(
        '<shell>',
        'shell to print the script for; json prints the tree of commands, for other tools',
      )
        .choices(SHELLS)
        .argParser(choice(SHELLS)),
    )
    .addHelpText(
      'after',
      `
To enable completion in every new shell:
  bash   echo 'source <(paysim completion bash)' >> ~/.bashrc
         or, if bash-completion is installed, which loads the script on demand:
         paysim completion bash > ~/.local/share/bash-completion/completions/paysim
  zsh    paysim completion zsh > ~/.zfunc/_paysim, and add to ~/.zshrc:
         fpath=(~/.zfunc $fpath); autoload -U compinit; compinit
  fish   paysim completion fish > ~/.config/fish/completions/paysim.fish

Examples:
  source <(paysim completion bash)
  paysim completion zsh > ~/.zfunc/_paysim
  paysim completion json > commands.json`,
    )
    .action(async (shell: Shell) => {
      if (shell === 'json') {
        const { readTree } = await import('../completion/tree.ts')
        process.stdout.write(`${JSON.stringify(await readTree(all), null, 2)}\n`)
        return
      }
      const { SCRIPTS } = await import('../completion/scripts.ts')
      process.stdout.write(SCRIPTS[shell]([process.execPath, resolve(process.argv[1] ?? '')]))
    })
