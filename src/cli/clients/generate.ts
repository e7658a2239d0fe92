import type { Call, CallLists, Record, SentMember, Shape } from './calls.ts'
import { nameOf } from './names.ts'

/**
 * A client in another language: its template, with the calls where it has a comment such as `paysim: calls of an account`.
 * A text from the lists is quoted, becomes a name or becomes one line of a comment, so that it cannot be code, whatever it
 * says.
 */
export function generate(template: string, to: Language, lists: CallLists, version: string): string {
  const calls = (of: readonly Call[], owner: string) => of.map(call => to.call(call, owner)).join('\n\n')
  const parts: { readonly [mark: string]: string } = {
    version: to.version(version),
    types: lists.records.map(to.record).join(to.betweenRecords),
    'calls of the merchant API': calls(lists.merchant, 'MerchantCalls'),
    'calls of an account': calls(lists.account, 'AccountCalls'),
    'calls of the simulator': calls(lists.simulator, 'SimulatorCalls'),
  }
  return template.replaceAll(/^ *(?:#|\/\/) paysim: (.*)$/gm, (line, mark: string) => parts[mark] ?? line)
}

/** The names that a template declares, which no record may have. */
export const declaredIn = (template: string): ReadonlySet<string> =>
  new Set([...template.matchAll(/\b(?:class|type|func|trait|const) (\w+)/g)].map(([, name = '']) => name))

export interface Language {
  readonly betweenRecords: string
  version(version: string): string
  record(record: Record): string
  /** `owner` is the class that has the call. */
  call(call: Call, owner: string): string
}

/** Text, or what can be broken into a line for each item. */
type Layout = string | { readonly open: string; readonly items: readonly Layout[]; readonly close: string }

const group = (open: string, items: readonly Layout[], close: string): Layout => ({ open, items, close })

const around = (before: string, layout: Layout, after: string): Layout =>
  typeof layout === 'string'
    ? before + layout + after
    : { ...layout, open: before + layout.open, close: layout.close + after }

const flat = (layout: Layout): string =>
  typeof layout === 'string' ? layout : layout.open + layout.items.map(flat).join(', ') + layout.close

/** In one line if that is not too long. `after` is how much follows in the last line. */
function lay(layout: Layout, width: number, indent: string, after = 0): string {
  const whole = flat(layout)
  if (typeof layout === 'string' || indent.length + whole.length + after <= width) return whole
  const { open, items, close } = layout
  const inner = `${indent}    `
  // A comma after the only item of a Python subscript would make a tuple of it.
  const comma = open.endsWith('[') && close.startsWith(']') && items.length === 1 ? '' : ','
  const lines = items.map(item => `${inner}${lay(item, width, inner, 1)}${comma}\n`)
  return `${open}\n${lines.join('')}${indent}${close}`
}

/** In one line of a comment. */
const inWords = (text: string) => text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()

const quoted = (text: string, quote: string, special: RegExp, code: (point: number) => string): string => {
  const characters = [...text.toWellFormed()].map(each => {
    if (special.test(each)) return `\\${each}`
    return each >= ' ' && each <= '~' ? each : code(each.codePointAt(0) ?? 0)
  })
  return quote + characters.join('') + quote
}
const hex = (point: number, digits: number) => point.toString(16).padStart(digits, '0')
/** As Python and Go write it. */
const inQuotes = (text: string) =>
  quoted(text, '"', /["\\]/, point => (point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`))

/** The path of a call, as an expression: fixed parts, and names of parameters. */
function pathOf(
  { path }: Call,
  quote: (text: string) => string,
  segment: (name: string) => string,
  plus: string,
) {
  const parts = path.split(/:([a-z]+)/)
  return parts
    .map((part, index) => (index % 2 === 0 ? part && quote(part) : segment(part)))
    .filter(part => part !== '')
    .join(plus)
}
const parametersOf = ({ path }: Call) => [...path.matchAll(/:([a-z]+)/g)].map(([, name = '']) => name)

const PLACES = ['query', 'headers', 'body', 'form'] as const
const inOrder = (members: readonly SentMember[]) => [
  ...members.filter(({ required }) => required),
  ...members.filter(({ required }) => !required),
]

/** The members of a call by the place where they are sent, except places where nothing is. */
const placesOf = ({ members, hasBody }: Call) =>
  PLACES.map(place => ({ place, members: members.filter(member => member.place === place) })).filter(
    ({ place, members }) => members.length > 0 || (place === 'body' && hasBody),
  )

// Python, as black has it.

const PYTHON_WORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import
  in is lambda nonlocal not or pass raise return try while with yield self`.split(/\s+/),
)
const PYTHON_WIDTH = 88

const pythonName = (text: string, taken = PYTHON_WORDS) => nameOf(text, 'snake', taken)

function pythonType(shape: Shape): Layout {
  return shape.nullable ? orNone(pythonValue(shape)) : pythonValue(shape)
}

/** What may have several lines has no operator behind it, because versions of black differ there. */
const orNone = (type: Layout): Layout =>
  typeof type === 'string' ? `${type} | None` : group('Optional[', [type], ']')

function pythonValue(shape: Shape): Layout {
  switch (shape.kind) {
    case 'text':
      return shape.words ? group('Literal[', shape.words.map(inQuotes), ']') : 'str'
    case 'list':
      return group('list[', [pythonType(shape.of)], ']')
    case 'map':
      return group('dict[', ['str', pythonType(shape.of)], ']')
    case 'record':
      return shape.name
    default:
      return { integer: 'int', number: 'float', boolean: 'bool', bytes: 'bytes', any: 'Any' }[shape.kind]
  }
}

export const PYTHON: Language = {
  betweenRecords: '\n\n\n',
  version: version => `VERSION = ${inQuotes(version)}`,

  record({ name, members }) {
    const types = members.map(({ name, required, shape }): [string, Layout] => {
      const type = pythonType(shape)
      return [name, required ? type : group('NotRequired[', [type], ']')]
    })
    if (types.every(([name]) => pythonName(name) === name)) {
      const lines = types.map(
        ([name, type]) => `    ${lay(around(`${name}: `, type, ''), PYTHON_WIDTH, '    ')}`,
      )
      return [`class ${name}(TypedDict):`, ...(lines.length === 0 ? ['    pass'] : lines)].join('\n')
    }
    // A member whose name is a word of the language cannot be written in a class.
    const entries = types.map(([name, type]) => `${inQuotes(name)}: ${inPythonQuotes(flat(type))}`)
    return lay(
      group(`${name} = TypedDict(`, [inQuotes(name), group('{', entries, '}')], ')'),
      PYTHON_WIDTH,
      '',
    )
  },

  call(call) {
    const parameters = parametersOf(call).map(name => pythonName(name))
    const taken = new Set([...PYTHON_WORDS, ...parameters])
    const names = new Map<SentMember, string>()
    for (const member of inOrder(call.members)) {
      const name = pythonName(member.name, taken)
      taken.add(name)
      names.set(member, name)
    }
    const keywords = [...names].map(([{ required, shape }, name]) => {
      const type = required || shape.nullable ? pythonType(shape) : orNone(pythonType(shape))
      return around(`${name}: `, type, required ? '' : ' = None')
    })
    const given = [
      'self',
      ...parameters.map(name => `${name}: str`),
      ...(keywords.length > 0 ? ['*', ...keywords] : []),
    ]
    const { answer } = call
    const result =
      { nothing: 'None', text: 'str', bytes: 'bytes' }[answer as string] ?? pythonType(answer as Shape)
    const sent = placesOf(call).map(({ place, members }) => {
      const entries = members.map(member => `${inQuotes(member.name)}: ${names.get(member)}`)
      return group(`${place}={`, entries, '}')
    })
    const as = answer === 'text' || answer === 'bytes' ? [`answer=${inQuotes(answer)}`] : []
    const path = pathOf(call, inQuotes, name => `_segment(${pythonName(name)})`, ' + ')
    const made = group('self.request(', [inQuotes(call.method), path, ...sent, ...as], ')')
    const summary = inWords(call.summary).replaceAll(/[\\"]/g, '\\$&')
    return [
      `    ${lay(group(`def ${pythonName(call.id)}(`, given, `) -> ${flat(result)}:`), PYTHON_WIDTH, '    ')}`,
      `        """${summary}."""`,
      `        ${lay(around(answer === 'nothing' ? '' : 'return ', made, ''), PYTHON_WIDTH, '        ')}`,
    ].join('\n')
  },
}

/** In the quotes that need fewer backslashes. */
const inPythonQuotes = (text: string) =>
  text.includes('"') && !text.includes("'") && /^[ -~]*$/.test(text)
    ? `'${text.replaceAll('\\', '\\\\')}'`
    : inQuotes(text)
