import type { TimelineAttempt, TimelinePlace } from '../../contract/control/timeline.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import type { ProviderCall } from '../../domain/model.ts'
import type { RequestAbout } from '../request-log.ts'

interface Lists {
  /** The entries about the record, with only the events about it. */
  readonly changes: readonly Entry[]
  readonly called: readonly ProviderCall[]
  readonly asked: readonly RequestAbout[]
  readonly attempts: readonly TimelineAttempt[]
  /** The journal of each of its deliveries. */
  readonly deliveries: readonly (readonly Entry[])[]
  readonly wallOf: (seq: number) => number | undefined
}

/** The position of an item: by time, then by entry, then by event. */
interface Placed extends Omit<TimelinePlace, 'at' | 'wall_at'> {
  readonly at: number
  readonly seq: number
  readonly event: number
  readonly wall: number | null
}

/** The journal event for each call of the provider. */
const CALLS: Readonly<Record<ProviderCall['call'], DomainEvent['type']>> = {
  start: 'RouteFrozen',
  cancel: 'CancelRequested',
  submit_receipt: 'ReceiptSubmitted',
}

/** Sorts everything that happened, with causes before effects. */
export function inOrder({ changes, called, asked, attempts, deliveries, wallOf }: Lists): TimelinePlace[] {
  const wallAt = (seq: number) => wallOf(seq) ?? null
  const events: (Placed & { readonly type: DomainEvent['type'] })[] = changes
    .flatMap(({ at, seq, events: own }) => own.map(({ type }, event) => ({ at, seq, event, type })))
    .map((place, nth) => ({ list: 'changes', nth, ...place, wall: wallAt(place.seq) }))
  const taken = new Set<number>()
  const calls = called.map(({ at, call }, nth): Placed => {
    const made = events.find(({ type, nth: of }) => type === CALLS[call] && !taken.has(of))
    if (made) taken.add(made.nth)
    const place = made ?? { at, seq: Number.POSITIVE_INFINITY, event: 0, wall: null }
    return { ...place, list: 'provider_calls', nth, event: place.event + 0.5 }
  })
  const requests = asked.map(({ cameAt: at, after, cameWall: wall }, nth): Placed => {
    return { list: 'requests', nth, at, seq: after + 0.5, event: 0, wall }
  })
  const begun = startsIn(deliveries)
  const posts = attempts.map(({ delivery, number, at, wall_at }, nth): Placed => {
    const seq = begun.get(delivery)?.[number - 1] ?? Number.POSITIVE_INFINITY
    const wall = wallAt(seq) ?? (wall_at === null ? null : Date.parse(wall_at))
    return { list: 'attempts', nth, at: Date.parse(at), seq, event: 0, wall }
  })
  return [...events, ...calls, ...requests, ...posts]
    .sort((a, b) => a.at - b.at || a.seq - b.seq || a.event - b.event)
    .map(({ list, nth, at, wall }) => ({
      list,
      nth,
      at: formatTimestamp(at),
      wall_at: wall === null ? null : formatTimestamp(wall),
    }))
}

/** The entries in which the attempts of each delivery began. */
function startsIn(deliveries: Lists['deliveries']): Map<string, number[]> {
  const begun = new Map<string, number[]>()
  for (const { seq, events } of deliveries.flat())
    for (const event of events)
      if (event.type === 'AttemptStarted')
        begun.set(event.delivery, [...(begun.get(event.delivery) ?? []), seq])
  return begun
}
