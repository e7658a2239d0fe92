import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { filesBelow } from '../support/structure/files-below.ts'

/** What runs on an account's time. The merchant's tools outside (client, cli) live in the caller's. */
const SIMULATED = /^src\/((contract|domain|engine|server)\/|simulator\.ts)/

/**
 * There, time and chance come from the account's clock and id source, or two runs of the same calls differ. These are
 * all the places where the real ones enter: one more needs a reason, and one that is gone goes from here too.
 */
const ENTRANCES: Record<string, string> = {
  'src/engine/time/real-time.ts: Date.now': 'the wall clock that the engine is given',
  'src/engine/time/real-time.ts: performance.now':
    'the monotonic clock that the engine is given, for while the wall is set back',
  'src/server/authentication.ts: randomBytes': 'a control token that nobody named',
  'src/engine/account/ids.ts: randomBytes': 'the seed of an account that nobody seeded',
  'src/server/requests/request-log.ts: Date.now':
    'when a request was answered, for people and where it belongs to no account',
  'src/server/requests/request-log.ts: performance.now': 'how long an answer took',
  'src/server/http/reply.ts: Date.now': 'the header of the time of an answer, as Node writes it',
  'src/server/app.ts: performance.now': 'how long an answer took, and a seed for the names of requests',
  'src/server/control/timeline.ts: Date.now':
    'when an entry was made, for people: the journal does not have it',
  'src/server/dashboard/session.ts: randomBytes': 'a code that nobody can guess',
  'src/server/dashboard/session.ts: Date.now': 'when a code ends, for people',
  'src/server/control/webhooks.ts: Date.now':
    'how old a webhook is that somebody pasted: it is signed with the time of the wall',
  'src/server/cluster/forwarder.ts: performance.now':
    'how old it is what the store said of a holder, and how long a call may wait for another',
  'src/server/faults/wire-faults.ts: performance.now': 'how many calls came in a time, which a caller feels',
  'src/server/http/listener.ts: performance.now': 'whether nothing else happens, when it stops to listen',
  'src/server/http/request.ts: performance.now': 'how long an answer took',
  'src/engine/time/scheduling.ts: performance.now': 'when other accounts get their turn during long work',
  'src/server/app.ts: performance.timeOrigin': 'a seed for the names of requests',
}

const WALL_AND_DICE = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'performance.timeOrigin',
  'process.hrtime',
  'process.uptime',
  'crypto.randomUUID',
  'crypto.getRandomValues',
])
const DICE = new Set(['randomBytes', 'randomInt', 'randomUUID', 'randomFillSync', 'randomFill'])

test('real time and chance enter only in the known places', () => {
  const found = filesBelow('src')
    .filter(path => SIMULATED.test(path))
    .flatMap(path => entrancesIn(readFileSync(path, 'utf8')).map(name => `${path}: ${name}`))
  expect([...new Set(found)].sort()).toEqual(Object.keys(ENTRANCES).sort())
})

test.each([
  ['const at = Date.now()', 'Date.now'],
  ['const wall = { wall: Date.now }', 'Date.now'],
  ['const at = new Date()', 'new Date()'],
  ['const at = new Date', 'new Date()'],
  ['const text = Date()', 'Date()'],
  ['const n = globalThis.Math.random()', 'Math.random'],
  ['const { now } = Date', '{ now } = Date'],
  [`import { randomUUID as id } from 'node:crypto'`, 'randomUUID'],
])('%s is detected', (code, name) => {
  expect(entrancesIn(code)).toEqual([name])
})

test.each([
  'new Date(at).toISOString()',
  '// Date.now() in a comment',
  `const text = 'Math.random()'`,
  'Date.UTC(2026, 0, 1)',
])('%s is allowed', code => {
  expect(entrancesIn(code)).toEqual([])
})

/** Each entrance has one of these in it. A file without them is not parsed. */
const TRACES = ['Date', ...[...WALL_AND_DICE].map(name => name.split('.')[1] ?? name), ...DICE]

function entrancesIn(code: string): string[] {
  const names: string[] = []
  if (!TRACES.some(trace => code.includes(trace))) return names
  const visit = (node: ts.Node): void => {
    const name = entranceAt(node)
    if (name !== undefined) names.push(name)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest))
  return names
}

function entranceAt(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const of = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression
    const name = ts.isIdentifier(of) ? `${of.text}.${node.name.text}` : ''
    return WALL_AND_DICE.has(name) ? name : undefined
  }
  if (ts.isNewExpression(node) && isDate(node.expression) && !node.arguments?.length) return 'new Date()'
  if (ts.isCallExpression(node) && isDate(node.expression)) return 'Date()'
  if (ts.isVariableDeclaration(node) && node.initializer && isDate(node.initializer)) return '{ now } = Date'
  if (ts.isImportSpecifier(node)) {
    const name = (node.propertyName ?? node.name).text
    return DICE.has(name) ? name : undefined
  }
  return undefined
}

const isDate = (node: ts.Node) => ts.isIdentifier(node) && node.text === 'Date'
