import { spanText } from '../format/time.ts'
import { httpTone, humanise, moveWords, type Tone, toneOf } from '../format/words.ts'
import { addressOf, place } from '../state/router.ts'
import type { Command, Timeline, TimelineChange } from '../state/types.ts'

export const LANES = ['Merchant', 'Provider', 'State', 'Webhooks', 'To come'] as const
export type Lane = (typeof LANES)[number]

/** One thing that happened to a record, or will. */
export interface Happening {
  readonly key: string
  readonly lane: Lane
  /** Of the account, in milliseconds. */
  readonly at: number
  readonly until: number | null
  /** Null where nobody knows: the journal has no wall time, so that it can be repeated. */
  readonly wallAt: number | null
  readonly what: string
  readonly more: string
  readonly tone: Tone
  /** The state that the record is in from here on. */
  readonly status: string | null
  readonly href: string | null
}

/** In order of the account's time; at one moment, as the journal has it. */
export function happeningsOf(timeline: Timeline): Happening[] {
  const account = place.value.account ?? ''
  const all: Happening[] = [
    ...timeline.changes.map(changeOf),
    ...timeline.provider_calls.map(({ at, call }, nth) => ({
      ...plain,
      key: `provider ${nth}`,
      lane: 'Provider' as const,
      at: Date.parse(at),
      what: humanise(call),
      more: 'asked of the provider',
    })),
    ...timeline.requests.map(({ at, wall_at, method, path, status, ms, request_id }) => ({
      ...plain,
      key: request_id,
      lane: 'Merchant' as const,
      at: Date.parse(at),
      wallAt: Date.parse(wall_at),
      what: `${method} ${status}`,
      more: `${path}, ${ms.toFixed(1)} ms`,
      tone: httpTone(status),
      href: addressOf(account, 'requests', request_id),
    })),
    ...timeline.attempts.map(({ delivery, number, at, ended_at, wall_at, status, error, event_type }) => ({
      ...plain,
      key: `${delivery} ${number}`,
      lane: 'Webhooks' as const,
      at: Date.parse(at),
      until: ended_at === null ? null : Date.parse(ended_at),
      wallAt: wall_at === null ? null : Date.parse(wall_at),
      what: `${event_type ?? 'event'}, attempt ${number}`,
      more: ended_at === null ? 'under way' : (error ?? `answered ${status}`),
      tone: ended_at === null ? ('busy' as const) : httpTone(status),
      href: addressOf(account, 'webhooks', delivery),
    })),
    ...timeline.timers.map(({ id, due_at, command }) => ({
      ...plain,
      key: id,
      lane: 'To come' as const,
      at: Date.parse(due_at),
      what: commandText(command),
      more: `due in ${spanText(Date.parse(due_at) - Date.parse(timeline.now))}`,
    })),
  ]
  return all.sort((a, b) => a.at - b.at)
}

const plain = { until: null, wallAt: null, tone: 'quiet' as const, status: null, href: null }

function changeOf({ seq, at, wall_at, by, event, status, detail }: TimelineChange, nth: number): Happening {
  return {
    key: `entry ${seq} ${nth}`,
    lane: laneOf(by, event, status),
    at: Date.parse(at),
    until: null,
    wallAt: wall_at === null ? null : Date.parse(wall_at),
    what: humanise(event),
    more: [`by the ${by}`, detail].filter(Boolean).join(', '),
    tone: status === null ? 'quiet' : toneOf(status),
    status,
    href: null,
  }
}

/** Where whoever did it stands. What a timer does without a change of state is the provider's answer. */
function laneOf(by: string, event: string, status: string | null): Lane {
  if (event === 'RouteFrozen') return 'Provider'
  if (by === 'merchant') return 'Merchant'
  return by === 'timer' && status === null ? 'Provider' : 'State'
}

/** What a timer will do. */
export function commandText(command: Command): string {
  if (command.type === 'AttemptDelivery') return 'Webhook attempt'
  return command.trigger ? moveWords(command.trigger).label : humanise(command.type)
}

export const lastHappening = (happenings: readonly Happening[]) =>
  happenings.filter(({ lane }) => lane !== 'To come').at(-1)
