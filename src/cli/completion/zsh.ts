import { shellWords } from '../shell-words.ts'
import { type Behind, optionRules, ownWords, placeOf, short } from './suggestions.ts'
import { type CommandNode, everyNode } from './tree.ts'

export function zshScript(root: CommandNode, program: readonly string[]): string {
  const nodes = everyNode(root)
  const places = nodes.filter(({ words }) => words.length > 0).map(placeOf)
  return `#compdef paysim
# Completes paysim in zsh. Created by \`paysim completion zsh\`: create it again after an update.

# The next of several words separated by commas.
_paysim_list() {
  local -a given rest
  given=(\${(s:,:)\${PREFIX%\${PREFIX##*,}}})
  rest=(\${@:|given})
  compset -P '*,'
  compadd -- $rest
}

# Values that only this machine knows. After an error, none are suggested.
_paysim_known() {
  local -a run found
  run=(\${words[1]})
  whence -- \${words[1]} > /dev/null 2>&1 || run=(${shellWords(program)})
  found=(\${(f)"$("\${run[@]}" __complete $1 "\${(@)words[2,-1]}" 2> /dev/null < /dev/null)"})
  if (( \${#found} )); then compadd -- $found; fi
}

# A request body, as @file or as the file.
_paysim_body() {
  if [[ -z $PREFIX ]]; then
    _files -P @
  else
    compset -P @
    _files
  fi
}

_paysim() {
  local place='' previous=\${words[CURRENT-1]} index
  local -a own options
  for ((index = 2; index < CURRENT; index++)); do
    if [[ \${words[index]} == -- ]]; then
      _files
      return
    fi
    case $place/\${words[index]} in
      (${places.join('|')}) place=$place/\${words[index]} ;;
    esac
  done
  if compset -P '--*='; then previous=\${IPREFIX%=}; fi
  case $place:$previous in
${optionRules(root).map(optionCase).join('\n')}
  esac
  case $place in
${nodes.map(placeCase).join('\n')}
  esac
}

if [[ \${funcstack[1]} == _paysim ]]; then
  _paysim "$@"
else
  compdef _paysim paysim
fi
`
}

function optionCase({ places, names, behind }: ReturnType<typeof optionRules>[number]): string {
  const spelled = names.flatMap(name =>
    places === 'everywhere' ? [`*:${name}`] : places.map(place => `${place}:${name}`),
  )
  return `    (${spelled.join('|')}) ${afterOption(behind)}; return ;;`
}

function afterOption(behind: Behind): string {
  if (typeof behind === 'object') {
    if ('known' in behind) return `_paysim_known ${behind.known}`
    return `${behind.many ? '_paysim_list' : 'compadd --'} ${shellWords(behind.words)}`
  }
  if (behind === 'anything') return `_message 'a value'`
  if (behind === 'body') return '_paysim_body'
  return behind === 'files' ? '_files' : '_files -/'
}

function placeCase(node: CommandNode): string {
  const { words, known, files, unguessed } = ownWords(node)
  const options = node.options.flatMap(({ names, description }) =>
    names.map(name => described(name, description)),
  )
  const own =
    node.commands.length > 0
      ? node.commands.map(({ words, summary }) => described(words.at(-1) ?? '', summary))
      : words
  const showOwn = [
    ...(own.length > 0 ? ["_describe 'word' own"] : []),
    ...(known === undefined ? [] : [`_paysim_known ${known}`]),
    ...(files ? ['_files'] : []),
    ...(unguessed ? ["_message 'a value'"] : []),
  ]
  const showOptions = "_describe -o 'option' options"
  return `    ('${placeOf(node)}')
      own=(${shellWords(own)})
      options=(${shellWords(options)})
      ${showOwn.length === 0 ? showOptions : `if [[ $PREFIX == -* ]]; then ${showOptions}; else ${showOwn.join('; ')}; fi`}
      ;;`
}

/** A colon separates the word from its description. */
const described = (word: string, description: string) =>
  `${word.replaceAll(':', '\\:')}:${short(description)}`
