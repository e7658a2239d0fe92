import { closest } from '../../contract/closest.ts'
import { UsageError } from '../errors/usage-error.ts'
import { pathsOf, valueAt, withValue } from './body-paths.ts'
import { type Body, FIELD_NAMES, isRequestField } from './request-fields.ts'

/**
 * `--set path=value`. It changes what is there, or gives a field of the interface; where it would do neither it is a
 * slip of the pen, and saying nothing of that would send another payment than the one that was meant.
 */
export function setValue(body: Body, assignment: string): Body {
  const at = assignment.indexOf('=')
  if (at < 1) throw new UsageError(`--set ${assignment}: it is written path=value, as customer.name=Somchai`)
  const [path, written] = [assignment.slice(0, at), assignment.slice(at + 1)]
  const before = valueAt(body, path)
  if (before === undefined && !isRequestField(path)) throw new UsageError(matchesNothing(body, path))
  return withValue(
    body,
    path,
    isRequestField(path) || typeof before === 'string' ? written : asJson(path, written),
  )
}

function matchesNothing(body: Body, path: string): string {
  const meant = closest(path, [...FIELD_NAMES, ...pathsOf(body)])
  const hint = meant === undefined ? 'what is new goes into --data' : `did you mean ${meant}?`
  return `--set ${path} matches nothing: neither the interface nor --data has it; ${hint}`
}

/** What was no text stays none. */
function asJson(path: string, written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    throw new UsageError(`--set ${path}=${written}: --data has no text there, so JSON is wanted`)
  }
}
