import { isDeepStrictEqual } from 'node:util'
import { ArgumentError } from '../client/errors.ts'
import { eventMeant, OPTIONAL_EVENTS, STANDARD_EVENTS } from '../contract/event-names.ts'
import type { EventMatch, ReceivedEvent } from './webhooks.ts'

const EVENTS: readonly string[] = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]

/** An unknown event would never arrive, so it is refused at once. */
export function demandEvents(match: EventMatch | undefined): void {
  if (match === undefined || typeof match === 'function') return
  for (const name of [match.type ?? []].flat()) {
    if (EVENTS.includes(name)) continue
    const meant = eventMeant(name)
    throw new ArgumentError(
      `there is no event ${name}; ${meant ? `did you mean ${meant}?` : `there are ${EVENTS.join(', ')}`}`,
    )
  }
}

export function matchesEvent(match: EventMatch, event: ReceivedEvent): boolean {
  if (typeof match === 'function') return match(event)
  return Object.entries(match).every(([path, wanted]) => {
    if (path === 'type') return [wanted].flat().includes(event.type)
    const value = path === 'data' ? event.data : at(event.data, path.replace(/^data\./, ''))
    return holds(wanted, value)
  })
}

/** A member by its path, such as `recipient.bank_code`. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((of, name) => (isObject(of) && Object.hasOwn(of, name) ? of[name] : undefined), value)
}

/** An object must have only the given members; others are ignored. */
function holds(wanted: unknown, value: unknown): boolean {
  if (wanted instanceof RegExp) return typeof value === 'string' && wanted.test(value)
  if (isObject(wanted) && isObject(value))
    return Object.entries(wanted).every(([name, member]) => holds(member, value[name]))
  return isDeepStrictEqual(wanted, value)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function describeMatch(match: EventMatch | undefined): string {
  if (match === undefined) return 'webhook'
  if (typeof match === 'function') return 'webhook that matches'
  const parts = Object.entries(match).map(
    ([path, wanted]) => `${path} ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`,
  )
  return `webhook with ${parts.join(', ')}`
}
