import type { CST, Document, LineCounter, ParsedNode, YAMLParseError } from 'yaml'

/** Not imported, because most runs of a scenario need only its value. */
export const yamlLibrary = () => require('yaml') as typeof import('yaml')

interface ReadYaml {
  readonly document: Document.Parsed<ParsedNode>
  readonly lines: LineCounter
}

/** How deeply a document may be nested. No scenario needs a tenth of this. */
const DEEPEST = 500

/**
 * A YAML document with all of its errors. The library compares each key of a map with every other key, which takes half
 * a minute for 50,000 keys, so repeated keys are found here. It reads nested values by recursion, and V8 may end the
 * process if the stack overflows, so the depth is checked first. Its warnings are off, because Node would print them.
 */
export function readYaml(text: string, options: { readonly merge?: true } = {}): ReadYaml {
  const { Composer, isMap, isScalar, LineCounter, Parser, visit } = yamlLibrary()
  const lines = new LineCounter()
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  const deep = tokens.map(tooDeepIn).find(at => at !== undefined)
  const composer = new Composer({ ...options, prettyErrors: false, uniqueKeys: false, logLevel: 'error' })
  const documents: Document.Parsed<ParsedNode>[] = []
  for (const next of composer.compose(deep === undefined ? tokens : [], true, text.length))
    if (documents.push(next) > 1) break
  const [document, second] = documents
  if (!document) throw new Error('the YAML library returned no document')
  if (deep !== undefined) document.errors.push(problem(deep, 'IMPOSSIBLE', 'This is nested too deeply'))
  if (second)
    document.errors.push(
      problem(second.range[0], 'MULTIPLE_DOCS', 'A second document begins here: a file has one'),
    )
  visit(document, {
    Node(_, node) {
      if (!isMap(node)) return
      const seen = new Set<unknown>()
      for (const { key } of node.items) {
        if (!isScalar(key) || key.value === '<<') continue
        if (seen.has(key.value))
          document.errors.push(problem(key.range?.[0] ?? 0, 'DUPLICATE_KEY', 'Map keys must be unique'))
        seen.add(key.value)
      }
    },
  })
  return { document, lines }
}

/** The value of a YAML text, or an error that says where it is wrong. */
export function valueOfYaml(text: string): unknown {
  const { document, lines } = readYaml(text)
  const [error] = document.errors
  if (!error) return document.toJS()
  const { line, col } = lines.linePos(error.pos[0])
  throw new Error(`${error.message.split('\n')[0]} at line ${line}, column ${col}`)
}

/** As people write it: what an item of a list holds goes on one line each, unless there is little room. */
export function yamlForPeople(value: unknown, { narrow = false } = {}): string {
  const { Document, isPair, visit } = yamlLibrary()
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
  if (!narrow)
    visit(document, {
      Map(_, map, path) {
        if (path.some(isPair)) map.flow = true
      },
    })
  return document.toString({ lineWidth: narrow ? 0 : 110 })
}

function problem(at: number, code: YAMLParseError['code'], message: string): YAMLParseError {
  const { YAMLParseError } = yamlLibrary()
  return new YAMLParseError([at, at + 1], code, message)
}

/** Where a token is nested too deeply, if anywhere. */
function tooDeepIn(root: CST.Token): number | undefined {
  const open: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next
    if (depth > DEEPEST) return token.offset
    if ('value' in token && token.value) open.push({ token: token.value, depth })
    if (!('items' in token)) continue
    for (const { key, value } of token.items) {
      if (key) open.push({ token: key, depth: depth + 1 })
      if (value) open.push({ token: value, depth: depth + 1 })
    }
  }
  return undefined
}
