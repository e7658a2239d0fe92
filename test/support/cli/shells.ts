import { spawnSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { cleanEnvironment } from './clean-environment.ts'
import { runCommand } from './run-command.ts'

/** The words of a command line so far; the last is the one to complete. */
export type Asked = readonly string[]

interface Where {
  /** Where the shell runs, and where the script is as `script.NAME`. */
  readonly folder: string
  readonly env?: NodeJS.ProcessEnv
}

export interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish'
  /** Why the shell cannot be tested here. */
  readonly missing: string | undefined
  /** The suggestions of the shell for each question. */
  readonly answers: (where: Where, asked: readonly Asked[]) => Promise<string[][]>
  /** The same, if the shell knows no `paysim`, so that the script runs the program that it names. */
  readonly answersOfProgram: (where: Where, asked: readonly Asked[]) => Promise<string[][]>
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

interface Language {
  /** Flags that leave out the settings of the person who runs the tests. */
  readonly plain: readonly string[]
  /** The command `paysim`, which leaves its words in the pipe `asked`, and prints what comes out of the pipe `answered`. */
  readonly paysim: string
  /** Loads the script, and has a command `ask` that prints the suggestions, and a marker line behind them. */
  readonly ask: string
  /** A question. */
  readonly asking: (words: Asked) => string
}

function shell(name: Shell['name'], { plain, paysim, ask, asking }: Language): Shell {
  const run = async (program: readonly string[], where: Where): Promise<string[][]> => {
    const { exitCode, stdout, stderr } = await execa(name, [...plain, '-c', program.join('\n')], {
      cwd: where.folder,
      env: environmentOf(where),
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })
    if (exitCode !== 0 || stderr !== '') throw new Error(`${name} ended with ${exitCode}: ${stderr}`)
    return `${stdout}\n`
      .split('=====\n')
      .slice(0, -1)
      .map(answer => answer.split('\n').filter(line => line !== ''))
  }
  return {
    name,
    missing: spawnSync(name, ['--version']).status === 0 ? undefined : `there is no ${name} on this machine`,
    answers: async (where, asked) => {
      const end = await answerQuestions(where)
      return run([paysim, ask, ...asked.map(asking)], where).finally(end)
    },
    answersOfProgram: (where, asked) => run([ask, ...asked.map(asking)], where),
  }
}

const environmentOf = ({ folder, env = {} }: Where) => ({ ...cleanEnvironment(folder), ...env })

/** Answers what the `paysim` of a shell is asked, by the process that runs the commands of all tests. */
async function answerQuestions(where: Where): Promise<() => Promise<void>> {
  const { folder } = where
  const [asked, answered] = [join(folder, 'asked'), join(folder, 'answered')]
  await execa('mkfifo', [asked, answered])
  const answering = (async () => {
    for (;;) {
      const words = (await readFile(asked, 'utf8')).split('\0').slice(0, -1)
      if (words.length === 0) return
      const { stdout } = await runCommand(words, { cwd: folder, env: environmentOf(where) })
      await writeFile(answered, stdout)
    }
  })()
  return async () => {
    await writeFile(asked, '')
    await answering
    await Promise.all([rm(asked), rm(answered)])
  }
}

const FUNCTION = `paysim() { printf '%s\\0' "$@" > asked; cat answered; }`
const wordsOf = (words: Asked) => `ask ${words.map(quoted).join(' ')}`

const bash = shell('bash', {
  plain: ['--norc', '--noprofile'],
  paysim: FUNCTION,
  ask: `compopt() { :; }
source ./script.bash
ask() {
  COMP_WORDS=("$@")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _paysim
  if [[ \${#COMPREPLY[@]} -gt 0 ]]; then printf '%s\\n' "\${COMPREPLY[@]}"; fi
  echo =====
}`,
  asking: wordsOf,
})

/** Zsh completes only interactively, so this checks what its functions get. */
const zsh = shell('zsh', {
  plain: ['-f'],
  paysim: FUNCTION,
  ask: `compdef() { : }
_files() { for found in \${PREFIX}*(N); do print -r -- $IPREFIX$found; done }
compset() {
  [[ $2 == '--*=' && $PREFIX == --*=* ]] || return 1
  IPREFIX=\${PREFIX%%=*}=
  PREFIX=\${PREFIX#*=}
}
_describe() { local -a told; told=(\${(P)2}); offer \${told%%:*} }
offer() { local word; for word in "$@"; do if [[ $word == \${PREFIX}* ]]; then print -r -- $IPREFIX$word; fi; done }
source ./script.zsh
ask() { words=("$@"); CURRENT=$#words; PREFIX=\${words[-1]}; IPREFIX=''; _paysim; print '=====' }`,
  asking: wordsOf,
})

/** Fish can print its own suggestions. */
const fish = shell('fish', {
  plain: ['--no-config'],
  paysim: `function paysim
    printf '%s\\0' $argv > asked
    cat answered
end`,
  ask: `function __fish_complete_directories; end
source ./script.fish
function ask
    complete -C "$argv[1]" | string replace -r '\\t.*' ''
    echo =====
end`,
  asking: words => `ask ${quoted(words.join(' '))}`,
})

export const SHELLS: readonly [Shell, ...Shell[]] = [bash, zsh, fish]
