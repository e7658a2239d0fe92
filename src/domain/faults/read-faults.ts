import { closest } from '../../contract/closest.ts'
import {
  delayKey,
  type FaultRule,
  FaultsBody,
  HTTP_FAULT_TYPES,
  WEBHOOK_FAULT_TYPES,
} from '../../contract/control/faults.ts'
import { parseDuration } from '../../contract/durations.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { validator } from '../../contract/validation.ts'
import { operationName, windowOf } from './fault.ts'

const check = validator(FaultsBody)
const EVENTS: readonly string[] = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]

/**
 * Reads `{faults: […]}` for the operations of the server. Each problem has its place and, if possible, a suggestion.
 */
export function readFaults(
  data: unknown,
  operations: readonly string[],
): { data: readonly FaultRule[] } | { problems: readonly FieldProblem[] } {
  const malformed = check(data)
  if (malformed.length > 0) return { problems: malformed }
  const { faults } = data as { faults: FaultRule[] }
  const wrong = faults.flatMap((fault, at) => contradictionsIn(fault, at, operations))
  return wrong.length > 0 ? { problems: wrong } : { data: faults }
}

function contradictionsIn(fault: FaultRule, at: number, operations: readonly string[]): FieldProblem[] {
  const problems: FieldProblem[] = []
  const say = (field: string, message: string) => problems.push({ field: `faults.${at}.${field}`, message })
  const forWebhooks = fault.on === 'webhook'
  const types: readonly string[] = forWebhooks ? WEBHOOK_FAULT_TYPES : HTTP_FAULT_TYPES
  if (!types.includes(fault.type))
    say('type', `must be one of ${types.join(', ')} on ${forWebhooks ? 'a webhook' : 'a call'}`)
  const on = operationName(fault.on)
  if (!forWebhooks && on !== '*' && !operations.includes(on)) {
    const meant = closest(on, operations)
    say('on', `is not an operation${meant ? `; did you mean ${meant}?` : ''}`)
  }
  if (fault.for !== undefined && fault.until !== undefined)
    say('until', 'cannot be combined with for: give only one of the two')
  else if (fault.for !== undefined && parseDuration(fault.for) === 0) say('for', 'must be above 0')
  else if (fault.from !== undefined && fault.until !== undefined) {
    const { from, until } = windowOf(fault, 0)
    if (from !== null && until !== null && until <= from)
      say('until', `must be after from, which is ${fault.from}`)
  }
  const { delay, type } = fault
  if (fault.match && !forWebhooks) say('match', 'is only for webhooks')
  for (const name of [fault.match?.type ?? []].flat()) {
    if (EVENTS.includes(name)) continue
    const meant = closest(name, EVENTS)
    say('match.type', `is not an event: ${name}${meant ? `; did you mean ${meant}?` : ''}`)
  }
  if (fault.when && forWebhooks) say('when', 'is only for calls')
  if (fault.status !== undefined && type !== 'status') say('status', 'is only for type status')
  if (type === 'status' && fault.status === undefined) say('status', 'is required with type status')
  if (fault.body !== undefined && type !== 'status') say('body', 'is only for type status')
  if (fault.retry_after !== undefined && type !== 'status') say('retry_after', 'is only for type status')
  if (delay === undefined && delayKey(type) === 'required') say('delay', `is required with type ${type}`)
  if (delay !== undefined && delayKey(type) === 'none') say('delay', `is not allowed with type ${type}`)
  if (typeof delay === 'object') {
    if (forWebhooks) say('delay', 'must be one duration on a webhook')
    const [low = '', high = ''] = Object.values(delay)
    if ((parseDuration(low) ?? 0) > (parseDuration(high) ?? 0))
      say('delay', `must not decrease from ${low} to ${high}`)
    if ('p50' in delay && parseDuration(delay.p50) === 0) say('delay.p50', 'must be above 0')
  }
  return problems
}
