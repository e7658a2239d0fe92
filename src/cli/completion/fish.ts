import { type Behind, behind, ownWords, placeOf, short } from './suggestions.ts'
import { type CommandNode, everyNode, type OptionNode } from './tree.ts'

export function fishScript(root: CommandNode, program: readonly string[]): string {
  const nodes = everyNode(root)
  const places = nodes.filter(({ words }) => words.length > 0).map(placeOf)
  return `# Completes paysim in fish. Created by \`paysim completion fish\`: create it again after an update.

# Fish asks this for each place that there is, so the words are looked at only when they have changed.
function __paysim_at
    set -l words (string escape -- (commandline -opc))
    if test "$words" != "$__paysim_words"
        set -g __paysim_words $words
        set -g __paysim_place ''
        for word in $words[2..-1]
            if test "$word" = --
                set __paysim_place /--
                break
            end
            switch "$__paysim_place/$word"
                case ${places.join(' ')}
                    set __paysim_place "$__paysim_place/$word"
            end
        end
    end
    test "$argv[1]" = "$__paysim_place"
end

# The next of several words separated by commas.
function __paysim_list
    set -l before (commandline -ct | string match -r '.*,')
    for word in $argv
        if not string match -q "*,$word,*" -- ",$before"
            echo "$before$word"
        end
    end
end

# Values that only this machine knows. After an error, none are suggested.
function __paysim_known
    set -l words (commandline -opc)
    set -l run $words[1]
    type -q $run; or set run ${program.map(quoted).join(' ')}
    $run __complete $argv[1] $words[2..-1] 2>/dev/null </dev/null
end

# A request body, as @file or as the file.
function __paysim_body
    set -l token (commandline -ct)
    if test -z "$token"; or string match -q '@*' -- $token
        for file in (__fish_complete_path (string replace -r '^@' '' -- $token))
            echo "@$file"
        end
    else
        __fish_complete_path $token
    end
end

complete -c paysim -e
complete -c paysim -f
complete -c paysim -n '__paysim_at /--' -F
${nodes.flatMap(linesOf).join('\n')}
`
}

function linesOf(node: CommandNode): string[] {
  const at = `complete -c paysim -n ${quoted(`__paysim_at ${place(node)}`)}`
  const { words, known, files } = ownWords(node)
  return [
    ...node.commands.map(
      ({ words, summary }) => `${at} -a ${quoted(words.at(-1) ?? '')} -d ${quoted(short(summary))}`,
    ),
    ...(node.commands.length === 0 && words.length > 0 ? [`${at} -a ${quoted(words.join(' '))}`] : []),
    ...(known === undefined ? [] : [`${at} -a '(__paysim_known ${known})'`]),
    ...(files ? [`${at} -F`] : []),
    ...node.options.map(option => `${at}${spelled(option)} -d ${quoted(short(option.description))}`),
  ]
}

const place = (node: CommandNode) => placeOf(node) || "''"

function spelled({ names, value }: OptionNode): string {
  const flags = names.map(name => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`))
  return flags.join('') + (value === null ? '' : after(behind(value)))
}

function after(what: Behind): string {
  if (typeof what === 'object') {
    if ('known' in what) return ` -x -a '(__paysim_known ${what.known})'`
    return ` -x -a ${quoted(what.many ? `(__paysim_list ${what.words.join(' ')})` : what.words.join(' '))}`
  }
  if (what === 'anything') return ' -x'
  if (what === 'body') return " -x -a '(__paysim_body)'"
  return what === 'files' ? ' -r -F' : " -x -a '(__fish_complete_directories)'"
}

/** Between single quotes, fish treats the backslash as special, and the quote. */
const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
