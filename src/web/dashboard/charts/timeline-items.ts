import type { TimerRecord } from '../../../contract/control/clock.ts'
import type {
  Coming,
  Timeline,
  TimelineAttempt,
  TimelineChange,
  TimelinePlace,
  TimelineRequest,
} from '../../../contract/control/timeline.ts'
import { httpTone, humanise, moveWords, spanText, type Tone, toneOf } from '../format.ts'
import { comingWords } from '../pages/planned.tsx'
import { addressOf, place } from '../state/router.ts'

/** Something that happened to a record, or will happen. */
export interface TimelineItem {
  readonly key: string
  /** Who did it. */
  readonly where: 'Merchant' | 'Provider' | 'State' | 'Webhooks' | 'Planned'
  /** The lane to draw it in; webhooks have a lane for each endpoint. */
  readonly lane: string
  /** Account time in milliseconds. */
  readonly at: number
  readonly until: number | null
  /** Null if it is unknown. */
  readonly wallAt: number | null
  readonly what: string
  readonly more: string
  readonly tone: Tone
  /** The state of the record after it. */
  readonly status: string | null
  readonly href: string | null
}

/** The past in the server's order, then future items that have a time. */
export function timelineItems(timeline: Timeline): TimelineItem[] {
  const account = place.value.account ?? ''
  const happened = timeline.order.flatMap(place => {
    const described = itemDetails(timeline, place, account)
    if (!described) return []
    const { list, nth, at, wall_at } = place
    const wallAt = wall_at === null ? null : Date.parse(wall_at)
    return [{ ...plain, ...described, key: `${list} ${nth}`, at: Date.parse(at), wallAt }]
  })
  const now = Date.parse(timeline.now)
  return [...happened, ...timeline.to_come.flatMap((coming, nth) => comingOf(coming, nth, now))]
}

/** The lanes that are needed, from top to bottom. */
export function lanesOf(items: readonly TimelineItem[]): string[] {
  const webhooks = items.filter(({ where }) => where === 'Webhooks').map(({ lane }) => lane)
  const isAhead = items.some(({ where }) => where === 'Planned')
  return ['Merchant', 'Provider', 'State', ...new Set(webhooks), ...(isAhead ? ['Planned'] : [])]
}

const plain = { until: null, tone: 'quiet' as const, status: null, href: null }

type ItemDetails = Pick<TimelineItem, 'where' | 'lane' | 'what' | 'more'> & Partial<TimelineItem>

function itemDetails(
  timeline: Timeline,
  { list, nth }: TimelinePlace,
  account: string,
): ItemDetails | undefined {
  const { changes, provider_calls, requests, attempts } = timeline
  if (list === 'provider_calls') {
    const call = provider_calls[nth]
    return call && { ...inLane('Provider'), what: humanise(call.call), more: 'provider call' }
  }
  if (list === 'requests') return requests[nth] && requestOf(requests[nth], account)
  if (list === 'attempts') return attempts[nth] && attemptOf(attempts[nth], account)
  return changes[nth] && changeOf(changes[nth])
}

const inLane = (where: TimelineItem['where'], lane: string = where) => ({ where, lane })

function requestOf({ method, path, status, ms, request_id }: TimelineRequest, account: string): ItemDetails {
  return {
    ...inLane('Merchant'),
    what: `${method} ${status}`,
    more: `${path}, ${ms.toFixed(1)} ms`,
    tone: httpTone(status),
    href: addressOf(account, 'requests', request_id),
  }
}

function attemptOf(attempt: TimelineAttempt, account: string): ItemDetails {
  const { delivery, number, url, ended_at, status, error, event_type } = attempt
  const answer = ended_at === null ? 'in progress' : (error ?? `answered ${status}`)
  return {
    ...inLane('Webhooks', `Webhooks to ${url.replace(/^https?:\/\//, '')}`),
    until: ended_at === null ? null : Date.parse(ended_at),
    what: `${event_type ?? 'event'}, attempt ${number}`,
    more: `to ${url}: ${answer}`,
    tone: ended_at === null ? 'busy' : httpTone(status),
    href: addressOf(account, 'webhooks', delivery),
  }
}

function changeOf({ by, event, status, detail }: TimelineChange): ItemDetails {
  return {
    ...inLane(laneOf(by, event, status)),
    what: humanise(event),
    more: [`by the ${by}`, detail].filter(Boolean).join(', '),
    tone: status === null ? 'quiet' : toneOf(status),
    status,
  }
}

/** The lane of the party that did it. A timer that changes no state is the provider's answer. */
function laneOf(by: string, event: string, status: string | null): TimelineItem['where'] {
  if (event === 'RouteFrozen') return 'Provider'
  if (by === 'merchant') return 'Merchant'
  return by === 'timer' && status === null ? 'Provider' : 'State'
}

function comingOf(coming: Coming, nth: number, now: number): TimelineItem[] {
  if (coming.due_at === null) return []
  const at = Date.parse(coming.due_at)
  const { what, more } = comingWords(coming)
  const due = at > now ? `in ${spanText(at - now)}` : 'due now'
  const when = coming.held_by !== null && at <= now ? `was due ${spanText(now - at)} ago` : due
  return [
    {
      ...plain,
      ...inLane('Planned'),
      key: `planned ${nth}`,
      at,
      wallAt: null,
      what,
      more: [when, more].filter(Boolean).join(', '),
    },
  ]
}

/** What a timer will do. */
export function commandText(command: TimerRecord['command']): string {
  if (command.type === 'AttemptDelivery') return 'Webhook attempt'
  return command.trigger ? moveWords(command.trigger).label : humanise(command.type)
}

export const lastTimelineItem = (items: readonly TimelineItem[]) =>
  items.filter(({ where }) => where !== 'Planned').at(-1)
