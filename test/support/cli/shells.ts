import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The words of a command line so far; the last is the one to complete. */
export type Asked = readonly string[]

export interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish'
  /** Why the shell cannot be tested here. */
  readonly missing: string | undefined
  /** The suggestions of the shell for each question, by `script.NAME` of the folder. */
  readonly answers: (folder: string, asked: readonly Asked[], env?: NodeJS.ProcessEnv) => string[][]
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Runs a program in the shell. Each answer consists of lines, and ends with a marker line. */
function run(
  shell: Shell['name'],
  program: string,
  { folder, env = {} }: { folder: string; env?: NodeJS.ProcessEnv | undefined },
): string[][] {
  const file = join(folder, `questions.${shell}`)
  writeFileSync(file, program)
  const plain = { bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config'] }[shell]
  const { stdout, stderr, status } = spawnSync(shell, [...plain, file], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, XDG_CONFIG_HOME: folder, HOME: folder, LC_ALL: 'C.UTF-8', ...env },
  })
  if (status !== 0 || stderr !== '') throw new Error(`${shell} ended with ${status}: ${stderr}`)
  return stdout
    .split('=====\n')
    .slice(0, -1)
    .map(answer => answer.split('\n').filter(line => line !== ''))
}

const missing = (shell: string) =>
  spawnSync(shell, ['--version']).status === 0 ? undefined : `there is no ${shell} on this machine`

const bash: Shell = {
  name: 'bash',
  missing: missing('bash'),
  answers: (folder, asked, env) =>
    run(
      'bash',
      `compopt() { :; }
source ./script.bash
ask() {
  COMP_WORDS=("$@")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _paysim
  if [[ \${#COMPREPLY[@]} -gt 0 ]]; then printf '%s\\n' "\${COMPREPLY[@]}"; fi
  echo =====
}
${asked.map(words => `ask ${words.map(quoted).join(' ')}`).join('\n')}
exit 0
`,
      { folder, env },
    ),
}

/** Zsh completes only interactively, so this checks what its functions get. */
const zsh: Shell = {
  name: 'zsh',
  missing: missing('zsh'),
  answers: (folder, asked, env) =>
    run(
      'zsh',
      `compdef() { : }
_files() { for found in \${PREFIX}*(N); do print -r -- $IPREFIX$found; done }
compset() {
  [[ $2 == '--*=' && $PREFIX == --*=* ]] || return 1
  IPREFIX=\${PREFIX%%=*}=
  PREFIX=\${PREFIX#*=}
}
_describe() { local -a told; told=(\${(P)2}); offer \${told%%:*} }
offer() { local word; for word in "$@"; do if [[ $word == \${PREFIX}* ]]; then print -r -- $IPREFIX$word; fi; done }
source ./script.zsh
ask() { words=("$@"); CURRENT=$#words; PREFIX=\${words[-1]}; IPREFIX=''; _paysim; print '=====' }
${asked.map(words => `ask ${words.map(quoted).join(' ')}`).join('\n')}
exit 0
`,
      { folder, env },
    ),
}

/** Fish can print its own suggestions. */
const fish: Shell = {
  name: 'fish',
  missing: missing('fish'),
  answers: (folder, asked, env) =>
    run(
      'fish',
      `function __fish_complete_directories; end
source ./script.fish
function ask
    complete -C "$argv[1]" | string replace -r '\\t.*' ''
    echo =====
end
${asked.map(words => `ask ${quoted(words.join(' '))}`).join('\n')}
exit 0
`,
      { folder, env },
    ),
}

export const SHELLS: readonly [Shell, ...Shell[]] = [bash, zsh, fish]
