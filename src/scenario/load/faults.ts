import type { FieldFault } from '../../contract/errors.ts'
import type { Path, Places, Position, Positions } from './positions.ts'

/** Something wrong with a scenario file, and where. */
export interface FileFault extends Position {
  readonly file: string
  readonly message: string
}

/** A file that cannot be run. The message is all faults, one a line, as editors and people read them. */
export class ScenarioFault extends Error {
  constructor(
    readonly faults: readonly FileFault[],
    /** What the story is called, where that much could be read. */
    readonly scenario?: string,
  ) {
    super(faults.map(describeFault).join('\n'))
    this.name = 'ScenarioFault'
  }
}

export const describeFault = ({ file, line, column, message }: FileFault) =>
  `${file}:${line}:${column}: ${message}`

/** Faults as they are found, each at a path. */
export class Faults {
  readonly #found: { path: Path; message: string }[] = []

  say(path: Path, message: string): void {
    this.#found.push({ path, message })
  }

  /** Faults of a validator about the value at `base`, with the field that it names. */
  add(base: Path, faults: readonly FieldFault[], positions: Places): void {
    const root = base.join('.')
    const named = faults.map(fault => ({ ...fault, field: fault.field === 'body' ? '' : fault.field }))
    for (const { field, message } of named.filter(fault => !saidBetter(fault, named, root === ''))) {
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

  in(file: string, positions: Positions): FileFault[] {
    return this.#found
      .map(({ path, message }) => ({ file, ...positions.of(path), message }))
      .sort((a, b) => a.line - b.line || a.column - b.column)
  }
}

/**
 * Where a value fits no alternative, what is wrong further in, or beside a missing key, says why. The file itself has
 * no alternatives: what it lacks is missing, whatever else is wrong with it.
 */
function saidBetter({ field, message }: FieldFault, all: readonly FieldFault[], ofFile: boolean): boolean {
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
