import { shellWords } from '../shell-words.ts'
import { type Behind, optionRules, ownWords, placeOf } from './suggestions.ts'
import { type CommandNode, everyNode } from './tree.ts'

/** Works in every bash, including 3.2 of macOS: no associative arrays, and readline completes files there. */
export function bashScript(root: CommandNode, program: readonly string[]): string {
  const nodes = everyNode(root)
  return `# Completes paysim in bash. Created by \`paysim completion bash\`: create it again after an update.

_paysim_files() {
  type compopt > /dev/null 2>&1 || return
  compopt -o filenames 2> /dev/null
  local IFS=$'\\n'
  COMPREPLY+=($(compgen "$1" -- "$current"))
}

_paysim_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

# The next of several words separated by commas.
_paysim_list() {
  local before='' word
  if [[ $current == *,* ]]; then before=\${current%,*},; fi
  for word in $1; do
    if [[ ,$before != *",$word,"* && $before$word == "$current"* ]]; then COMPREPLY+=("$before$word"); fi
  done
}

# Values that only this machine knows. After an error, none are suggested.
_paysim_known() {
  local run=("\${COMP_WORDS[0]}")
  type "\${COMP_WORDS[0]}" > /dev/null 2>&1 || run=(${shellWords(program)})
  "\${run[@]}" __complete "$1" "\${COMP_WORDS[@]:1}" 2> /dev/null < /dev/null
}

# A request body, as @file or as the file. bash may split the @ from the rest, and then replaces only the rest.
_paysim_body() {
  local name mark='' IFS=$'\\n'
  if [[ -z $body || $body == @* ]]; then mark=@; fi
  for name in $(compgen -f -- "\${body#@}"); do
    if [[ -d $name ]]; then
      name=$name/
      type compopt > /dev/null 2>&1 && compopt -o nospace 2> /dev/null
    fi
    name=$mark$name
    COMPREPLY+=("\${name:\${#body}-\${#typed}}")
  done
}

_paysim() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place='' words='' files='' index
  local typed=\${2-$current} body=$current back=1
  COMPREPLY=()
  if [[ $previous == '@' ]]; then
    body=@$current
    back=2
    previous=\${COMP_WORDS[COMP_CWORD-back]}
  fi
  if [[ $previous == '=@' ]]; then
    body=@$current
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $current == '=@' ]]; then
    body=@
    typed=''
  fi
  # bash splits --output=json into three words.
  if [[ $current == '=' ]]; then
    current=''
    body=''
    typed=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-back-1]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    if [[ \${COMP_WORDS[index]} == -- ]]; then
      _paysim_files -f
      return
    fi
    case $place/\${COMP_WORDS[index]} in
      ${alternatives(nodes.filter(({ words }) => words.length > 0).map(placeOf))}) place=$place/\${COMP_WORDS[index]} ;;
    esac
  done
  case $place:$previous in
${optionRules(root).map(optionCase).join('\n')}
  esac
  case $place in
${nodes.map(placeCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files && $current != -* ]]; then _paysim_files -f; fi
}

if type compopt > /dev/null 2>&1; then
  complete -F _paysim paysim
else
  complete -o default -F _paysim paysim
fi
`
}

const alternatives = (patterns: readonly string[]) =>
  patterns.map(pattern => shellWords([pattern])).join(' | ')

function optionCase({ places, names, behind }: ReturnType<typeof optionRules>[number]): string {
  const spelled = names.flatMap(name =>
    places === 'everywhere' ? [`*:${name}`] : places.map(place => `${place}:${name}`),
  )
  return `    ${spelled.join(' | ')}) ${afterOption(behind)} ;;`
}

function afterOption(behind: Behind): string {
  if (behind === 'anything') return 'return'
  if (behind === 'body') return '_paysim_body; return'
  if (typeof behind === 'object')
    return 'known' in behind
      ? `_paysim_words "$(_paysim_known ${behind.known})"; return`
      : `${behind.many ? '_paysim_list' : '_paysim_words'} ${shellWords([behind.words.join(' ')])}; return`
  return `_paysim_files ${behind === 'files' ? '-f' : '-d'}; return`
}

/** Options are suggested after a dash, or if there is nothing else to suggest. */
function placeCase(node: CommandNode): string {
  const { words, known, files, unguessed } = ownWords(node)
  const options = shellWords([node.options.flatMap(({ names }) => names).join(' ')])
  const own = known === undefined ? shellWords([words.join(' ')]) : `"$(_paysim_known ${known})"`
  const choose =
    words.length > 0 || files || known !== undefined || unguessed
      ? `if [[ $current == -* ]]; then words=${options}; else words=${own}; fi`
      : `words=${options}`
  return `    '${placeOf(node)}') ${choose}${files ? '; files=yes' : ''} ;;`
}
