import { Argument, type Command } from 'commander'
import { shellWords } from '../../contract/shell-words.ts'
import { PROGRAM } from '../../package-files.ts'
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
        const { readTree } = await import('../completion.ts')
        process.stdout.write(`${JSON.stringify(await readTree(all), null, 2)}\n`)
        return
      }
      process.stdout.write(SCRIPTS[shell](PROGRAM))
    })

/**
 * The scripts of `paysim completion`. Each asks `paysim __complete` for what can come next, which answers with a line that
 * says what else to add, such as `:files`, and a suggestion on each other line. `program` is what to run if the name that
 * was typed cannot be called, such as an alias.
 */
const SCRIPTS = {
  // Works in every bash, including 3.2 of macOS, where readline itself completes files.
  bash: (program: readonly string[]) => `# Completes paysim in bash. Created by \`paysim completion bash\`.

_paysim() {
  local typed=\${2-\${COMP_WORDS[COMP_CWORD]}} run=("\${COMP_WORDS[0]}") kind='' line find
  type "\${run[0]}" > /dev/null 2>&1 || run=(${shellWords(program)})
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("\${run[@]}" __complete bash "$typed" "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null < /dev/null)
  type compopt > /dev/null 2>&1 || return 0
  case $kind in
    :nospace) compopt -o nospace 2> /dev/null; return ;;
    :files) find=-f ;;
    :directories) find=-d ;;
    *) return ;;
  esac
  compopt -o filenames 2> /dev/null
  if [[ $typed == '=' ]]; then typed=''; fi
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen $find -- "$typed")
}

if type compopt > /dev/null 2>&1; then
  complete -F _paysim paysim
else
  complete -o default -F _paysim paysim
fi
`,

  zsh: (program: readonly string[]) => `#compdef paysim
# Completes paysim in zsh. Created by \`paysim completion zsh\`.

_paysim() {
  local -a run found
  local kind
  run=(\${words[1]})
  whence -- \${words[1]} > /dev/null 2>&1 || run=(${shellWords(program)})
  found=(\${(f)"$("\${run[@]}" __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2> /dev/null < /dev/null)"})
  kind=\${found[1]}
  shift found
  if (( \${#found} )); then
    if [[ $kind == :nospace ]]; then _describe 'value' found -S ''; else _describe 'value' found; fi
  fi
  if [[ $kind == :files || $kind == :directories ]]; then
    compset -P '--*='
    if [[ $kind == :files ]]; then _files; else _files -/; fi
  fi
}

if [[ \${funcstack[1]} == _paysim ]]; then
  _paysim "$@"
else
  compdef _paysim paysim
fi
`,

  fish: (program: readonly string[]) => `# Completes paysim in fish. Created by \`paysim completion fish\`.

function __paysim_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l run $words[1]
    type -q $run; or set run ${program.map(fishQuoted).join(' ')}
    set -l found ($run __complete fish $words[2..-1] "$token" 2>/dev/null </dev/null)
    string join \\n -- $found[2..-1]
    # The name of an option may stand before a file, as in --key-file=.
    set -l head (string match -r '^--[^=]*=' -- "$token")
    set -l path (string replace -r '^--[^=]*=' '' -- "$token")
    switch "$found[1]"
        case :files
            for file in (__fish_complete_path "$path")
                echo "$head$file"
            end
        case :directories
            for file in (__fish_complete_directories "$path")
                echo "$head$file"
            end
    end
end

complete -c paysim -e
complete -c paysim -f -a '(__paysim_complete)'
`,
}

/** Between single quotes, fish treats the backslash as special, and the quote. */
const fishQuoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
