import {
  type Document,
  isMap,
  isScalar,
  type ParsedNode,
  type ParseOptions,
  parseDocument,
  type SchemaOptions,
  visit,
  YAMLParseError,
} from 'yaml'

type Options = ParseOptions & SchemaOptions

/**
 * A YAML document with all of its errors. The library compares each key of a map with every other key, which takes half a
 * minute for 50,000 keys, so repeated keys are looked for here. Its warnings
 * would be printed by Node.
 */
export function readYaml(text: string, options: Options): Document.Parsed<ParsedNode> {
  const document = parseDocument(text, { ...options, uniqueKeys: false, logLevel: 'error' })
  visit(document, {
    Node(_, node) {
      if (!isMap(node)) return
      const seen = new Set<unknown>()
      for (const { key } of node.items) {
        if (!isScalar(key) || key.value === '<<') continue
        if (seen.has(key.value)) document.errors.push(repeated(key.range?.[0] ?? 0))
        seen.add(key.value)
      }
    },
  })
  return document
}

const repeated = (at: number) => new YAMLParseError([at, at + 1], 'DUPLICATE_KEY', 'Map keys must be unique')
