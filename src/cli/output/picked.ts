import { type Path, QueryError } from './path.ts'
import { select } from './query.ts'
import { visible } from './visible.ts'

export interface Picking {
  readonly body: unknown
  /** Where the path starts: the body, or each record of its list. */
  readonly roots: readonly unknown[]
  readonly mayLack: readonly string[] | undefined
  /** Records before these had what the path names: that these have not is no mistake. */
  readonly lenient?: boolean
}

/** What is to be printed: the roots, or what a path leads to from them. */
export function picked(
  query: Path | undefined,
  { body, roots, mayLack, lenient }: Picking,
): readonly unknown[] {
  if (!query) return roots
  const { values, nowhere } = select(query, roots, mayLack)
  if (!nowhere) return values
  if (lenient) return query.many ? [] : roots.map(() => null)
  throw new QueryError(`${whose(query, roots, body)}${nowhere.message}`)
}

/** The call was made, so its record is named: whoever asked wrongly after a creation still learns what was created. */
function whose({ steps: [first] }: Path, roots: readonly unknown[], body: unknown): string {
  const ofRows = roots[0] !== body
  if (ofRows && first?.kind === 'name' && has(body, first.name))
    return 'the path starts at each record of the list: '
  return has(body, 'id') && typeof body.id === 'string' ? `${visible(body.id)}: ` : ''
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
}
