import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PAYMENT_TRIGGERS } from '../../src/domain/lifecycle.ts'

const CONTROL = new URL('../../src/server/control/', import.meta.url)
const PAGE = new URL('../../docs/control.md', import.meta.url)

it('docs/control.md has a row for each call of the control surface, and for no other', () => {
  expect(documented()).toEqual(registered())
})

/** `scope.get('/path'`, where the path may be a constant of its file or run over a list of triggers. */
function registered(): string[] {
  const calls = readdirSync(CONTROL)
    .filter(name => name.endsWith('.ts'))
    .flatMap(name => callsIn(readFileSync(new URL(name, CONTROL), 'utf8')))
  expect(calls.length).toBeGreaterThan(40)
  return [...new Set(calls)].sort()
}

function callsIn(source: string): string[] {
  const constants = new Map<string, readonly string[]>()
  for (const [, name = '', text = ''] of source.matchAll(/const (\w+) = '(\/[^']*)'/g))
    constants.set(name, [text])
  for (const [, name = '', list = ''] of source.matchAll(/for \(const (\w+) of (\[[^\]]*\]|[A-Z_]+)/g))
    constants.set(name, list === 'PAYMENT_TRIGGERS' ? PAYMENT_TRIGGERS : quotedIn(list))
  const routes = source.matchAll(/\b(?:scope|routes)\.(get|post|put|patch|delete)\(\s*([`'][^`']*[`']|\w+)/g)
  return [...routes].flatMap(([, method = '', path = '']) =>
    spelledOut(/^\w/.test(path) ? `\${${path}}` : path.slice(1, -1), constants).map(
      spelled => `${method.toUpperCase()} ${withoutNames(spelled)}`,
    ),
  )
}

function spelledOut(path: string, constants: ReadonlyMap<string, readonly string[]>): string[] {
  const name = /\$\{(\w+)\}/.exec(path)?.[1]
  if (name === undefined) return [path]
  const values = constants.get(name)
  if (!values) throw new Error(`what is ${name} in the path ${path}?`)
  return values.flatMap(value => spelledOut(path.replace(`\${${name}}`, value), constants))
}

const quotedIn = (list: string) => [...list.matchAll(/'([^']*)'/g)].map(([, text = '']) => text)

/** The rows of its tables that begin with a call. */
function documented(): string[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| `(GET|POST|PUT|PATCH|DELETE) (\/[^`]*)` \|/gm)
  return [...rows].map(([, method, path = '']) => `${method} ${withoutNames(path)}`).sort()
}

/** What a place in a path is called is a matter of taste. */
const withoutNames = (path: string) => path.replace(/:\w+|\{\w+\}/g, '{}')
