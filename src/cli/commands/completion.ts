import { resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import type { CommandTable } from '../command-table.ts'
import { readTree } from '../completion/tree.ts'
import { choice } from '../flag-values.ts'
import { newCommand } from '../new-command.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'json'] as const
type Shell = (typeof SHELLS)[number]

export const command = (all: CommandTable): Command =>
  newCommand('completion')
    .description(
      'Prints a script that makes a shell complete commands, options, their values, profiles, accounts and files.',
    )
    .addArgument(
      new Argument('<shell>', 'whose script; json is the tree of commands, for other tools')
        .choices(SHELLS)
        .argParser(choice(SHELLS)),
    )
    .addHelpText(
      'after',
      `
To have it in every shell:
  bash   echo 'source <(paysim completion bash)' >> ~/.bashrc
         or, with bash-completion, which loads it when it is first wanted:
         paysim completion bash > ~/.local/share/bash-completion/completions/paysim
  zsh    paysim completion zsh > ~/.zfunc/_paysim, with these lines in ~/.zshrc:
         fpath=(~/.zfunc $fpath); autoload -U compinit; compinit
  fish   paysim completion fish > ~/.config/fish/completions/paysim.fish

Examples:
  source <(paysim completion bash)
  paysim completion zsh > ~/.zfunc/_paysim
  paysim completion json > commands.json`,
    )
    .action(async (shell: Shell) => {
      const root = await readTree(all)
      // Asked where the name that was typed is none that a script could call, as an alias.
      const program = [process.execPath, resolve(process.argv[1] ?? '')]
      process.stdout.write(await script[shell](root, program))
    })

const script: Record<
  Shell,
  (root: Awaited<ReturnType<typeof readTree>>, program: readonly string[]) => Promise<string> | string
> = {
  bash: async (...tree) => (await import('../completion/bash.ts')).bashScript(...tree),
  zsh: async (...tree) => (await import('../completion/zsh.ts')).zshScript(...tree),
  fish: async (...tree) => (await import('../completion/fish.ts')).fishScript(...tree),
  json: root => `${JSON.stringify(root, null, 2)}\n`,
}
