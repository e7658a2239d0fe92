import type { FieldProblem } from '../../contract/errors.ts'
import type { Path, PathFinder, Position } from './path.ts'
import type { Positions } from './positions.ts'

/** Something wrong with a scenario file, and where. */
export interface FileProblem extends Position {
  readonly file: string
  readonly message: string
}

/** A file that cannot be run. The message is all faults, one a line, as editors and people read them. */
export class ScenarioError extends Error {
  constructor(
    readonly problems: readonly FileProblem[],
    /** What the story is called, where that much could be read. */
    readonly scenario?: string,
  ) {
    super(problems.map(describeProblem).join('\n'))
    this.name = 'ScenarioError'
  }
}

export const describeProblem = ({ file, line, column, message }: FileProblem) =>
  `${file}:${line}:${column}: ${message}`

/** Faults as they are found, each at a path. */
export class Problems {
  readonly #found: { path: Path; message: string }[] = []

  say(path: Path, message: string): void {
    this.#found.push({ path, message })
  }

  /** Faults of a validator about the value at `base`, with the field that it names. */
  add(base: Path, problems: readonly FieldProblem[], positions: PathFinder): void {
    const root = base.join('.')
    const named = problems.map(problem => ({
      ...problem,
      field: problem.field === 'body' ? '' : problem.field,
    }))
    for (const { field, message } of named.filter(problem => !saidBetter(problem, named, root === ''))) {
      const full = [root, field].filter(part => part !== '').join('.')
      const path = full === '' ? [] : positions.pathOf(full)
      this.say(path, `${field === '' ? label(base) : spelled(path)} ${message}`)
    }
  }

  get none(): boolean {
    return this.#found.length === 0
  }

  /** Each with its path, as data without a file has it. */
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
 * Where a value fits no alternative, what is wrong further in, or beside a missing key, says why. The file itself has
 * no alternatives: what it lacks is missing, whatever else is wrong with it.
 */
function saidBetter(
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

/** An item of a list is called by the list and its number. */
const spelled = (path: Path) => path.slice(typeof path.at(-1) === 'number' ? -2 : -1).join('.')

const label = (path: Path) =>
  path.length === 0 ? 'a scenario' : path.filter(part => typeof part === 'string').at(-1)
