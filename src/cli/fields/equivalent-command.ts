import { shellWords } from '../../contract/shell-words.ts'
import { type Body, isObject, textAt } from './body.ts'
import { FIELD_NAMES, isRequestField, REQUEST_FIELDS } from './request-fields.ts'

/** Options as typed, each with its value if it has one. */
export type TypedFlags = readonly (readonly [flag: string, value?: string])[]

/** Options whose values are in the body. */
const ABOUT_THE_BODY = new Set([
  ...Object.values(REQUEST_FIELDS).map(flag => flag.split(' ')[0] ?? flag),
  ...['--data', '--set'],
])

/** The command that makes the same request without questions. */
export function equivalentCommand(name: string, typed: TypedFlags, body: Body): string {
  const others = typed.filter(([flag]) => !ABOUT_THE_BODY.has(flag))
  const rest = withoutFlagged(body)
  return shellWords([
    ...['paysim', ...name.split(' ')],
    ...FIELD_NAMES.flatMap(field => flagFor(field, textAt(body, field))),
    ...(Object.keys(rest).length === 0 ? [] : ['--data', JSON.stringify(rest)]),
    ...others.flatMap(([flag, value]) => (value === undefined ? [flag] : [flag, value])),
  ])
}

function flagFor(field: (typeof FIELD_NAMES)[number], value: string | undefined): string[] {
  if (value === undefined) return []
  const [flag = ''] = REQUEST_FIELDS[field].split(' ')
  return flag === '--option' ? [flag, `${field.split('.')[1]}=${value}`] : joined(flag, value)
}

/** A value that begins with a dash must be joined to its option, or it would be taken for an option. */
const joined = (flag: string, value: string) => (value.startsWith('-') ? [`${flag}=${value}`] : [flag, value])

/** What no option can give: unknown fields, and values that are not text. */
function withoutFlagged(body: Body, before = ''): Body {
  const kept = Object.entries(body).flatMap(([name, value]) => {
    const path = `${before}${name}`
    if (isObject(value)) {
      const inner = withoutFlagged(value, `${path}.`)
      return Object.keys(inner).length === 0 ? [] : [[name, inner] as const]
    }
    const flagged = isRequestField(path) && typeof value === 'string' && value !== ''
    return flagged ? [] : [[name, value] as const]
  })
  return Object.fromEntries(kept)
}
