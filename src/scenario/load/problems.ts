import type { FieldProblem } from '../../contract/errors.ts'

// This names nothing that reads YAML: the published types name it, and a project that uses them has no YAML installed.

/** The keys and indexes that lead to a value of a file. */
export type Path = readonly (string | number)[]

export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** Finds the position of the value at a path. */
export interface PositionFinder {
  /** The text in which it finds them. */
  readonly text: string
  of(path: Path): SourcePosition
}

/** Finds the path for a dotted field of a validator. A key may itself contain dots. */
export interface PathFinder {
  pathOf(field: string): Path
}

/** A problem of a scenario file, with its position. */
export interface FileProblem extends SourcePosition {
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

  /**
   * The problems with their places in a file.
   *
   * @internal
   */
  in(file: string, positions: PositionFinder): FileProblem[] {
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
