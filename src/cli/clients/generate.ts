import {
  type Call,
  type CallLists,
  type Member,
  nameOf,
  type Record,
  type SentMember,
  type Shape,
  type Style,
} from './calls.ts'

/**
 * A client in another language: its template, with the calls where it has a comment such as `paysim: calls of an account`.
 * A text from the lists is quoted, becomes a name or becomes one line of a comment, so that it cannot be code, whatever it
 * says.
 */
export function generate(template: string, to: Language, lists: CallLists, version: string): string {
  const taken = new Set(lists.records.map(({ name }) => name))
  const calls = (of: readonly Call[], owner: string) => {
    const methods = new Set<string>()
    const named = of.map(call => {
      const method = nameOf(call.id, 'Pascal', methods)
      methods.add(method)
      return { ...call, id: nameOf(call.id, 'Pascal') === method ? call.id : method }
    })
    return named.map(call => to.call(call, owner, taken)).join('\n\n')
  }
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
  /** `owner` is the class that has the call, and `taken` are the names of types so far. */
  call(call: Call, owner: string, taken: Set<string>): string
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
/** The names of what a call sends, beside those that are taken; what is required comes first. */
function namesIn({ members }: Call, taken: ReadonlySet<string>, style: Style): Map<SentMember, string> {
  const names = new Map<SentMember, string>()
  const inOrder = [...members].sort((a, b) => Number(b.required) - Number(a.required))
  for (const member of inOrder)
    names.set(member, nameOf(member.name, style, new Set([...taken, ...names.values()])))
  return names
}

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
    const names = namesIn(call, new Set([...PYTHON_WORDS, ...parameters]), 'snake')
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

// PHP, as PSR-12 has it.

const PHP_WIDTH = 120

/** Between quotes in which nothing is code. */
const inPhpQuotes = (text: string) =>
  /^[ -~]*$/.test(text)
    ? `'${text.replaceAll(/['\\]/g, '\\$&')}'`
    : quoted(text, '"', /["\\$]/, point => `\\u{${hex(point, 1)}}`)

const PHP_TYPES = {
  text: 'string',
  integer: 'int',
  number: 'int|float',
  boolean: 'bool',
  bytes: 'string',
  any: 'mixed',
  list: 'array',
  map: 'array|\\stdClass',
  record: 'array|\\stdClass',
} as const

function phpType({ kind }: Shape, required: boolean): string {
  const type = PHP_TYPES[kind]
  if (required || type === 'mixed') return type
  return type.includes('|') ? `${type}|null` : `?${type}`
}

export const PHP: Language = {
  betweenRecords: '',
  version: version => `const VERSION = ${inPhpQuotes(version)};`,
  record: () => '',

  call(call) {
    // As on the wire, so that what is written between brackets beside them looks the same.
    const variable = (text: string, taken?: ReadonlySet<string>) => `$${nameOf(text, 'snake', taken)}`
    const parameters = parametersOf(call)
    const names = namesIn(call, new Set(['this', ...parameters]), 'snake')
    const given = [
      ...parameters.map(name => `string ${variable(name)}`),
      ...[...names].map(
        ([{ required, shape }, name]) =>
          `${phpType(shape, required && !shape.nullable)} $${name}${required ? '' : ' = null'}`,
      ),
    ]
    const sent = placesOf(call).map(({ place, members }) => {
      const entries = members.map(member => {
        const isObject = member.shape.kind === 'record' || member.shape.kind === 'map'
        const value = `$${names.get(member)}`
        return `${inPhpQuotes(member.name)} => ${isObject ? `self::object(${value})` : value}`
      })
      return group(`${place}: [`, entries, ']')
    })
    const { answer } = call
    const as = answer === 'text' || answer === 'bytes' ? [`answer: ${inPhpQuotes(answer)}`] : []
    const path = pathOf(call, inPhpQuotes, name => `self::segment(${variable(name)})`, ' . ')
    const made = group('$this->request(', [inPhpQuotes(call.method), path, ...sent, ...as], ');')
    const result =
      typeof answer === 'string'
        ? { nothing: 'void', text: 'string', bytes: 'string' }[answer]
        : ({ record: '\\stdClass', map: '\\stdClass' }[answer.kind as string] ?? PHP_TYPES[answer.kind])
    const head = lay(
      group(`public function ${nameOf(call.id, 'camel')}(`, given, `): ${result}`),
      PHP_WIDTH,
      '    ',
    )
    return [
      `    /** ${inWords(call.summary).replaceAll('*/', '* /')}. */`,
      // The brace of a head in several lines belongs to its last one.
      `    ${head}${head.includes('\n') ? ' ' : '\n    '}{`,
      `        ${lay(around(answer === 'nothing' ? '' : 'return ', made, ''), PHP_WIDTH, '        ')}`,
      '    }',
    ].join('\n')
  },
}

// Go, as gofmt has it.

const GO_WORDS = new Set(
  `break case chan const continue default defer else fallthrough for func go goto if import interface map package range return
  select struct switch type var calls in answer err`.split(/\s+/),
)
const GO_TYPES = {
  text: 'string',
  integer: 'int',
  number: 'float64',
  boolean: 'bool',
  bytes: '[]byte',
  any: 'any',
}

function goType(shape: Shape): string {
  switch (shape.kind) {
    case 'list':
      return `[]${goType(shape.of)}`
    case 'map':
      return `map[string]${goType(shape.of)}`
    case 'record':
      return shape.nullable ? `*${shape.name}` : shape.name
    default:
      return GO_TYPES[shape.kind]
  }
}

/** What is left out is empty, but false and a record are something, so that their place needs a pointer. */
const goMemberType = ({ shape, required }: Member) =>
  !required && (shape.kind === 'boolean' || (shape.kind === 'record' && !shape.nullable))
    ? `*${goType(shape)}`
    : goType(shape)

/** A tag is a text in a text. A usual one needs no backslash. */
function goTag(member: Member, isSent: boolean): string {
  const name = isSent ? member.name : '-'
  const tag = `json:${inQuotes(name + (member.required || !isSent ? '' : ',omitempty'))}`
  return /^[\w:",-]+$/.test(tag) ? `\`${tag}\`` : inQuotes(tag)
}

function goStruct(
  name: string,
  rows: readonly (readonly [name: string, type: string, tag: string])[],
): string {
  const wide = (column: 0 | 1) => Math.max(...rows.map(row => row[column].length))
  const lines = rows.map(([name, type, tag]) => `\t${name.padEnd(wide(0))} ${type.padEnd(wide(1))} ${tag}\n`)
  return rows.length === 0 ? `type ${name} struct{}` : `type ${name} struct {\n${lines.join('')}}`
}

export const GO: Language = {
  betweenRecords: '\n\n',
  version: version =>
    `// Version is that of paysim, which made this file.\nconst Version = ${inQuotes(version)}`,

  record({ name, members }) {
    const taken = new Set<string>()
    const rows = members.map(member => {
      const field = nameOf(member.name, 'Pascal', taken)
      taken.add(field)
      return [field, goMemberType(member), goTag(member, true)] as const
    })
    return `// ${name} is a record of the wire.\n${goStruct(name, rows)}`
  },

  call(call, owner, taken) {
    const { members, answer } = call
    const name = nameOf(call.id, 'Pascal')
    const names = namesIn(call, new Set(), 'Pascal')
    const parameters = parametersOf(call).map(each => nameOf(each, 'camel', GO_WORDS))
    // Both APIs list payouts.
    const isTaken = taken.has(`${name}Request`)
    const request = nameOf(isTaken ? `${owner} ${call.id} Request` : `${call.id} Request`, 'Pascal', taken)
    if (members.length > 0) taken.add(request)
    const rows = [...names].map(
      ([member, field]) => [field, goMemberType(member), goTag(member, member.place === 'body')] as const,
    )
    const isOptional = members.every(({ required }) => !required)
    const given = [
      ...(parameters.length > 0 ? [`${parameters.join(', ')} string`] : []),
      ...(members.length > 0 ? [`in ${isOptional ? '...' : ''}${request}`] : []),
    ]
    const value = isOptional ? 'sent' : 'in'
    const texts = (place: string) =>
      members
        .filter(member => member.place === place && member.shape.kind !== 'bytes')
        .map(member => `${inQuotes(member.name)}: text(${value}.${names.get(member)})`)
    const sent = placesOf(call).flatMap(({ place, members }) => {
      if (place === 'body') return [`body: ${members.length > 0 ? value : 'struct{}{}'}`]
      const map = texts(place)
      const file = members.find(({ shape }) => shape.kind === 'bytes')
      return [
        ...(map.length > 0 ? [`${place}: map[string]string{${map.join(', ')}}`] : []),
        ...(file ? [`file: ${value}.${names.get(file)}`] : []),
      ]
    })
    const result =
      typeof answer === 'string' ? { nothing: '', text: 'string', bytes: '[]byte' }[answer] : goType(answer)
    const path = pathOf(call, inQuotes, each => `segment(${nameOf(each, 'camel', GO_WORDS)})`, '+')
    const made = `calls.send(${[inQuotes(call.method), path, `request{${sent.join(', ')}}`, result ? '&answer' : 'nil'].join(', ')})`
    return [
      ...(members.length > 0 ? [`// ${request} is what ${name} sends.`, goStruct(request, rows), ''] : []),
      `// ${name}: ${inWords(call.summary)}.`,
      `func (calls *${owner}) ${name}(${given.join(', ')}) ${result ? `(answer ${result}, err error)` : 'error'} {`,
      ...(isOptional && members.length > 0 ? ['\tsent := first(in)'] : []),
      ...(result ? [`\terr = ${made}`, '\treturn answer, err'] : [`\treturn ${made}`]),
      '}',
    ].join('\n')
  },
}
