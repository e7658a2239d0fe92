import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type LineCounter, type Node } from 'yaml'
import type { FieldProblem } from '../../contract/errors.ts'
import type { Path, PathFinder, Position, PositionFinder } from './path.ts'

/** A problem of a scenario file, with its position. */
export interface FileProblem extends Position {
  readonly file: string
  readonly message: string
}

/** A file that cannot be run. The message has one problem on each line, in the form that editors understand. */
export class ScenarioError extends Error {
  constructor(
    readonly problems: readonly FileProblem[],
    /** The name of the scenario, if it could be read. */
    readonly scenario?: string,
  ) {
    super(problems.map(describeProblem).join('\n'))
    this.name = 'ScenarioError'
  }
}

export const describeProblem = ({ file, line, column, message }: FileProblem) =>
  `${file}:${line}:${column}: ${message}`

/** Collects problems, each at a path. */
export class Problems {
  readonly #found: { path: Path; message: string }[] = []

  say(path: Path, message: string): void {
    this.#found.push({ path, message })
  }

  /** Adds the problems that a validator found in the value at `base`. */
  add(base: Path, problems: readonly FieldProblem[], positions: PathFinder): void {
    const root = base.join('.')
    const named = problems.map(problem => ({
      ...problem,
      field: problem.field === 'body' ? '' : problem.field,
    }))
    for (const { field, message } of named.filter(
      problem => !isExplainedByAnother(problem, named, root === ''),
    )) {
      const full = [root, field].filter(part => part !== '').join('.')
      const path = full === '' ? [] : positions.pathOf(full)
      this.say(path, `${field === '' ? label(base) : spelled(path)} ${message}`)
    }
  }

  get none(): boolean {
    return this.#found.length === 0
  }

  /** The problems with their paths, for data that is not from a file. */
  get byPath(): readonly { readonly path: Path; readonly message: string }[] {
    return this.#found
  }

  in(file: string, positions: Positions): FileProblem[] {
    return this.#found
      .map(({ path, message }) => ({ file, ...positions.of(path), message }))
      .sort((a, b) => a.line - b.line || a.column - b.column)
  }
}

/**
 * Whether another problem explains this one. If a value matches no alternative, a problem deeper inside or next to a
 * missing key says why. The file as a whole has no alternatives, so a missing key of it is always reported.
 */
function isExplainedByAnother(
  { field, message }: FieldProblem,
  all: readonly FieldProblem[],
  ofFile: boolean,
): boolean {
  const inside = field === '' ? '' : `${field}.`
  if (all.some(other => other.field !== field && other.field.startsWith(inside))) return true
  if (message !== MISSING || (ofFile && !field.includes('.'))) return false
  const around = field.slice(0, field.lastIndexOf('.') + 1)
  return all.some(other => other.message !== MISSING && other.field.startsWith(around))
}
const MISSING = 'is required'

/** An item of a list is named by the list and its index. */
const spelled = (path: Path) => path.slice(typeof path.at(-1) === 'number' ? -2 : -1).join('.')

const label = (path: Path) =>
  path.length === 0 ? 'a scenario' : path.filter(part => typeof part === 'string').at(-1)

/** The position of each value of a document. It works for JSON too, because JSON is YAML. */
export class Positions implements PathFinder, PositionFinder {
  constructor(
    private readonly document: Document,
    private readonly lines: LineCounter,
  ) {}

  /** The position of the value at a path or, if there is none, of the nearest value around it. */
  of(path: Path): Position {
    let node = this.document.contents as Node | null
    let offset = node?.range?.[0] ?? 0
    for (const part of path) {
      const inner = step(this.#behind(node), String(part))
      if (!inner) break
      offset = inner.offset
      node = inner.node
    }
    return this.at(offset)
  }

  pathOf(field: string): Path {
    const parts = field.split('.')
    const path: (string | number)[] = []
    let node = this.document.contents as Node | null
    for (let at = 0; at < parts.length; ) {
      const here = this.#behind(node)
      let taken = 1
      for (let end = parts.length; end > at + 1; end--)
        if (isMap(here) && here.has(parts.slice(at, end).join('.'))) {
          taken = end - at
          break
        }
      const key = parts.slice(at, at + taken).join('.')
      path.push(isSeq(here) ? Number(key) : key)
      node = step(here, key)?.node ?? null
      at += taken
    }
    return path
  }

  at(offset: number): Position {
    const { line, col } = this.lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

  #behind(node: Node | null): Node | null {
    return isAlias(node) ? (node.resolve(this.document) ?? null) : node
  }
}

function step(node: Node | null, key: string): { node: Node | null; offset: number } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    const inner = (isPair(item) ? item.value : item) as Node | null | undefined
    return inner ? { node: inner, offset: inner.range?.[0] ?? 0 } : undefined
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(item => isScalar(item.key) && String(item.key.value) === key)
  if (!pair) return undefined
  const name = pair.key as Node
  return { node: pair.value as Node | null, offset: name.range?.[0] ?? 0 }
}
