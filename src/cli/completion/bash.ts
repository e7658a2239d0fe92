import { shellWords } from '../shell-words.ts'
import { type Behind, optionRules, ownWords, placeOf } from './suggestions.ts'
import { type CommandNode, everyNode } from './tree.ts'

/** For the bash of every system, 3.2 of macOS among them: no associative arrays, and files left to readline there. */
export function bashScript(root: CommandNode): string {
  const nodes = everyNode(root)
  return `# Completes paysim in bash. Made by \`paysim completion bash\`, and made again after an update.

_paysim_files() {
  type compopt > /dev/null 2>&1 || return
  compopt -o filenames 2> /dev/null
  local IFS=$'\\n'
  COMPREPLY+=($(compgen "$1" -- "$current"))
}

_paysim() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place='' words='' files='' index
  COMPREPLY=()
  # bash makes three words of --output=json.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
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
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
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
  if (typeof behind === 'object') return `words=${shellWords([behind.words.join(' ')])}`
  if (behind === 'anything') return 'return'
  return `_paysim_files ${behind === 'files' ? '-f' : '-d'}; return`
}

/** Options show themselves once a dash is typed, and where there is nothing else to show. */
function placeCase(node: CommandNode): string {
  const { words, files } = ownWords(node)
  const options = shellWords([node.options.flatMap(({ names }) => names).join(' ')])
  const own = shellWords([words.join(' ')])
  const choose =
    words.length > 0 || files
      ? `if [[ $current == -* ]]; then words=${options}; else words=${own}; fi`
      : `words=${options}`
  return `    '${placeOf(node)}') ${choose}${files ? '; files=yes' : ''} ;;`
}
