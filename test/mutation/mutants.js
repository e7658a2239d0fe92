// Changes that alter the meaning of a scenario. Each one makes a mutant; if it still passes, the scenario did not
// notice the change.
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml'
import { alter, flip, longer, shorter } from './alterations.js'

/** Where a step has expectations. */
const EXPECTATIONS = ['is', 'expect', 'exactly', 'include', 'count', 'none']
/** Where a file has times. */
const TIMES = ['advance', 'to', 'max', 'within', 'after', 'expires_after', 'expiry', 'delay', 'retry_after']

/** All mutants of a scenario: what changes on which line, and `make`, which returns the changed file. */
export function mutantsOf(text) {
  const lines = new LineCounter()
  const document = parseDocument(text, { merge: true, lineCounter: lines })
  const scenario = document.toJS({ maxAliasCount: 1000 })
  const captured = [...text.matchAll(/\bas: (\w+)/g)].map(([, name]) => name)
  const found = []

  const add = (kind, path, what, others) => {
    if (others.length > 0)
      found.push({ kind, what, line: lineOf(path), make: choose => changed(scenario, path, choose(others)) })
  }

  for (const list of ['provider', 'faults'])
    for (const at of (scenario[list] ?? []).keys()) add('rule', [list, at], 'deleted', [DELETED])
  for (const path of stepPaths(scenario.steps, ['steps'])) {
    add('step', path, 'deleted', [DELETED])
    for (const key of EXPECTATIONS) expectations([...path, key], at(scenario, path)[key])
    expectations([...path, 'until', 'is'], at(scenario, path).until?.is)
  }
  times([], scenario)
  return found

  /** One for each expectation, which gets another value. */
  function expectations(path, value) {
    if (value === undefined) return
    const key = path.at(-1)
    const other = flip(key, value)
    if (other !== undefined) return add('expectation', path, 'flipped', [other])
    if (typeof value === 'object' && value !== null) {
      for (const [inner, item] of Object.entries(value))
        expectations([...path, Array.isArray(value) ? Number(inner) : inner], item)
      return
    }
    add('expectation', path, 'changed', alter(value, { key, captured }))
  }

  /** Two for each time: one later, and one earlier if possible. */
  function times(path, value) {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const inside = [...path, Array.isArray(value) ? Number(key) : key]
      if (TIMES.includes(key) && typeof inner === 'string') {
        add('time', inside, 'later', longer(inner))
        add('time', inside, 'earlier', shorter(inner))
      }
      times(inside, inner)
    }
  }

  /** The line of the value, or of the nearest value around it in the text. */
  function lineOf(path) {
    let node = document.contents
    for (const part of path) {
      const inner = isSeq(node) ? node.items[part] : isMap(node) ? node.get(part, true) : undefined
      if (!inner?.range) break
      node = inner
    }
    return lines.linePos(node.range[0]).line
  }
}

const DELETED = Symbol('deleted')
const at = (value, path) => path.reduce((inner, part) => inner[part], value)

/** A copy with another value at a path. */
function changed(scenario, path, other) {
  const copy = structuredClone(scenario)
  const key = path.at(-1)
  const around = at(copy, path.slice(0, -1))
  if (other === DELETED) around.splice(key, 1)
  else if (other.instead) {
    delete around[key]
    Object.assign(around, other.instead)
  } else around[key] = other
  return copy
}

/** The paths of all steps, including nested ones. */
function stepPaths(list, path) {
  if (!Array.isArray(list)) return []
  return list.flatMap((step, nth) => {
    const inside = [...path, nth]
    if (Array.isArray(step)) return stepPaths(step, inside)
    return [
      inside,
      ...stepPaths(step.steps, [...inside, 'steps']),
      ...stepPaths(step.parallel, [...inside, 'parallel']),
    ]
  })
}
