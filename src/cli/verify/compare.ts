/** An answer of a server, without secrets. The names are in files. */
export interface Answered {
  readonly request: string
  readonly at: string
  readonly status: number
  /** The code of an error. */
  readonly code?: string
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the start of another text. */
  readonly body: unknown
}

/** An answer, or why there is none. */
export type Recorded = Answered | { readonly unsent: string }

/** What a server answered to the requests of a probe, by their names. */
export interface Recording {
  readonly requests: Readonly<Record<string, Recorded>>
  /** What the answers show. */
  readonly decisions: Readonly<Record<string, string>>
}

/** What differs between two servers that were asked the same. */
export interface Difference {
  readonly kind: 'decision' | 'scenario' | 'status' | 'header' | 'field'
  /** The key of a decision, the name of a scenario or of a header, or the path of a field. */
  readonly name: string
  readonly expected: string
  readonly found: string
  /** The names of the requests whose answers show it. */
  readonly requests: readonly string[]
}

export interface Comparison {
  readonly differences: readonly Difference[]
  /** The names of the requests whose answers were compared. */
  readonly compared: readonly string[]
  readonly left: readonly { readonly request: string; readonly why: string }[]
}

type One = Omit<Difference, 'requests'>

/** Compares the answers to the same requests. A difference that several answers have is one. */
export function compareAnswers(expected: Recording, found: Recording): Comparison {
  const differences = new Map<string, One & { readonly requests: string[] }>()
  const compared: string[] = []
  const left: { request: string; why: string }[] = []
  for (const [request, there] of Object.entries(found.requests)) {
    const here = Object.hasOwn(expected.requests, request) ? expected.requests[request] : undefined
    const why = whyNot(here, there)
    if (why !== undefined || !isAnswered(here) || !isAnswered(there)) {
      left.push({ request, why: why ?? 'it was not sent' })
      continue
    }
    compared.push(request)
    for (const one of answerDifferences(here, there)) {
      const id = JSON.stringify([one.kind, one.name, one.expected, one.found])
      const known = differences.get(id) ?? { ...one, requests: [] }
      differences.set(id, known)
      known.requests.push(request)
    }
  }
  return { differences: [...differences.values()], compared, left }
}

const isAnswered = (recorded: Recorded | undefined): recorded is Answered =>
  recorded !== undefined && 'status' in recorded

function whyNot(here: Recorded | undefined, there: Recorded): string | undefined {
  if (!isAnswered(there)) return there.unsent
  return isAnswered(here) ? undefined : (here?.unsent ?? 'it was not recorded')
}

function answerDifferences(expected: Answered, found: Answered): One[] {
  const [here, there] = [shownStatus(expected), shownStatus(found)]
  // What an error says cannot be compared with what a record says.
  if (here !== there) return [{ kind: 'status', name: 'status', expected: here, found: there }]
  return [
    ...entriesApart('header', new Map(headerForms(expected)), new Map(headerForms(found))),
    ...entriesApart('field', formsOf(expected.body), formsOf(found.body)),
  ]
}

const shownStatus = ({ status, code }: Answered) =>
  code === undefined ? String(status) : `${status} ${code}`

/** How a header is compared. Those that the interface document says nothing about are not. */
const HEADERS: Readonly<Record<string, (value: string) => string>> = {
  allow: value =>
    value
      .toUpperCase()
      .split(/[\s,]+/)
      .sort()
      .join(', '),
  'cache-control': value => (/\bno-store\b/i.test(value) ? 'no-store' : value),
  'content-type': value => value.split(';')[0]?.trim().toLowerCase() ?? '',
  'idempotent-replayed': value => value,
  location: () => 'an address',
  'request-id': () => 'an id',
  'www-authenticate': value => value.split(' ')[0] ?? '',
}

/** The headers that are compared, and so kept. */
export const COMPARED_HEADERS: readonly string[] = Object.keys(HEADERS)

const headerForms = ({ headers }: Answered): [string, string][] =>
  Object.entries(HEADERS).flatMap(([name, formOf]): [string, string][] => {
    const value = headers[name]
    return value === undefined ? [] : [[name, formOf(value)]]
  })

const MISSING = 'missing'

function entriesApart(
  kind: One['kind'],
  here: ReadonlyMap<string, string>,
  there: ReadonlyMap<string, string>,
): One[] {
  const apart: One[] = []
  for (const name of new Set([...here.keys(), ...there.keys()])) {
    const [expected, found] = [here.get(name) ?? MISSING, there.get(name) ?? MISSING]
    // The members of what is not there say nothing more.
    if (expected === found || apart.some(one => isInside(name, one.name))) continue
    apart.push({ kind, name, expected, found })
  }
  return apart
}

const isInside = (path: string, other: string) =>
  path.startsWith(other) && ['.', '['].includes(path[other.length] ?? '')

/** The forms of all members of a body, by their paths. A parent comes before its members. */
function formsOf(body: unknown): Map<string, string> {
  const forms = new Map<string, Set<string>>()
  const note = (path: string, form: string) => forms.set(path, (forms.get(path) ?? new Set()).add(form))
  const walk = (value: unknown, path: string, name: string): void => {
    if (Array.isArray(value)) {
      note(path, value.length === 0 ? 'an empty list' : 'a list')
      for (const item of value as readonly unknown[]) walk(item, `${path}[${codeOf(item)}]`, name)
    } else if (typeof value === 'object' && value !== null) {
      note(path, 'an object')
      for (const [member, inner] of Object.entries(value))
        walk(inner, path === '' ? member : `${path}.${member}`, member)
    } else note(path, formOf(value, path, name))
  }
  walk(body, '', '')
  return new Map([...forms].map(([path, found]) => [path, [...found].sort().join(' or ')]))
}

/** Methods and banks are told apart by their codes; other items only by their form. */
const codeOf = (item: unknown): string => {
  const code = Object(item).code
  return typeof code === 'string' ? code : ''
}

/** Members with a value from a known list, or with one that the request had. Of all others, only the form is compared. */
const BY_VALUE = new Set([
  ...['object', 'environment', 'status', 'code', 'type', 'category', 'checkout_mode', 'processing_reason'],
  ...['amount', 'country', 'currency', 'payment_method', 'merchant_reference', 'failure_code', 'required'],
  ...['has_more', 'next_action_types'],
])

function formOf(value: unknown, path: string, name: string): string {
  // How soon a verdict comes is no difference.
  if (path.endsWith('receipt.status') && (value === 'processing' || value === 'submitted'))
    return 'processing or submitted'
  // Which account or code the payer gets is the provider's choice.
  if (BY_VALUE.has(name) && (name === 'type' || !path.startsWith('next_action.')))
    return withoutRun(JSON.stringify(value) ?? 'nothing')
  if (typeof value !== 'string') return value === null ? 'null' : `a ${typeof value}`
  if (value === '') return 'an empty text'
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(value))
    return `a time like ${value.replaceAll(/\d/g, '0')}`
  if (/^https?:\/\//i.test(value)) return 'an address'
  const [data] = /^data:[\w/+.-]+(?=[;,])/.exec(value) ?? []
  if (data !== undefined) return data
  const [, prefix] = name === 'id' ? (/^([a-z]{1,8}_)/.exec(value) ?? []) : []
  return prefix === undefined ? 'a text' : `a text like ${prefix}…`
}

/** A reference has the name of its run. */
const withoutRun = (text: string) => text.replaceAll(/(paysim-probe)-[0-9a-f]{8}-/g, '$1-…-')
