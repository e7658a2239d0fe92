import { useMemo, useState } from 'preact/hooks'
import type {
  Timeline,
  TimelineAttempt,
  TimelineChange,
  TimelinePlace,
  TimelineRequest,
} from '../../../contract/control/timeline.ts'
import { CONTROL_PREFIX } from '../../../contract/paths.ts'
import { httpTone, humanise, spanText, type Tone, toneOf } from '../format.ts'
import { addressOf, place } from '../state/router.ts'
import { type Loaded, useLive } from '../state/use-live.ts'
import { Badge, ExactTime } from '../ui/badge.tsx'
import { Ready } from '../ui/page.tsx'
import { Panel, Table } from '../ui/panel.tsx'

const LANES = ['Merchant', 'Payer', 'Provider', 'Your server'] as const
/** Who did it. */
type Lane = (typeof LANES)[number]

/** Something that happened to a record. */
interface TimelineItem {
  readonly key: string
  readonly lane: Lane
  /** Account time in milliseconds. */
  readonly at: number
  /** Null if it is unknown. */
  readonly wallAt: number | null
  readonly what: string
  readonly more: string
  readonly tone: Tone
  readonly href: string | null
  /** Reads that change nothing and follow each other are one row, under this text. */
  readonly reads: string | null
  readonly calls: number
}

/** What happened to a payment or a payout, and what is planned, read again when it may be something else. */
export const useTimeline = (account: string, id: string): Loaded<Timeline> =>
  useLive(
    'GET /accounts/:account/timeline/:id',
    { params: { account, id } },
    { record: id, about: ['webhooks', 'requests', 'clock', 'timers'] },
  )

interface TimelinePanelProps {
  readonly timeline: Loaded<Timeline>
  /** The one that the provider's calls took. */
  readonly route?: string | undefined
}

/** What happened to a record: a table, and above it the same in time. */
export function TimelinePanel({ timeline, route }: TimelinePanelProps) {
  const { data } = timeline
  const items = useMemo(() => (data ? timelineItems(data, route) : []), [data, route])
  const [marked, setMarked] = useState<string | null>(null)
  return (
    <Panel title="Timeline" flush>
      <Ready of={timeline}>
        {() => (
          <>
            {items.length > 1 && <Strip items={items} marked={marked} onMark={setMarked} />}
            <ItemTable items={items} marked={marked} onMark={setMarked} />
          </>
        )}
      </Ready>
    </Panel>
  )
}

interface ShownProps {
  readonly items: readonly TimelineItem[]
  readonly marked: string | null
  readonly onMark: (key: string | null) => void
}

/** When things happened. The table has the same for those who cannot see it. */
function Strip({ items, marked, onMark }: ShownProps) {
  const { places, gaps } = useMemo(() => positionsOf(items.map(({ at }) => at)), [items])
  return (
    <div class="strip" aria-hidden="true" onMouseLeave={() => onMark(null)}>
      {gaps.map(({ at, ms }) => (
        <span key={at} class="gap" style={{ '--at': at }} title={spanText(ms)} />
      ))}
      {items.map(({ key, lane, tone }, nth) => (
        <span
          key={key}
          aria-hidden="true"
          class={`dot ${tone}${key === marked ? ' marked' : ''}`}
          style={{ '--at': places[nth] ?? 0, '--lane': LANES.indexOf(lane) }}
          onMouseEnter={() => onMark(key)}
        />
      ))}
    </div>
  )
}

/** A time between two items that is longer than this many usual ones is not drawn in full: the axis is broken there. */
const LONG = 4
/** Items of one moment stand beside each other. */
const APART = 0.15

/** Where times are between 0 and 1, and where the axis is broken. */
function positionsOf(times: readonly number[]) {
  const between = times.slice(1).map((at, nth) => at - (times[nth] ?? at))
  const usual = between.filter(ms => ms > 0).sort((a, b) => a - b)
  const longest = LONG * (usual[Math.floor((usual.length - 1) / 2)] ?? 1)
  const widths = between.map(ms => Math.min(ms, longest) / longest + APART)
  const whole = widths.reduce((sum, width) => sum + width, 0) || 1
  const places = [0]
  for (const width of widths) places.push((places.at(-1) ?? 0) + width / whole)
  const gaps = between.flatMap((ms, nth) =>
    ms > longest ? [{ at: ((places[nth] ?? 0) + (places[nth + 1] ?? 0)) / 2, ms }] : [],
  )
  return { places, gaps }
}

const ItemTable = ({ items, marked, onMark }: ShownProps) => (
  <Table<TimelineItem>
    caption="Timeline"
    rows={items}
    keyOf={({ key }) => key}
    rowProps={({ key }) => ({
      class: key === marked ? 'marked' : undefined,
      onMouseEnter: () => onMark(key),
      onMouseLeave: () => onMark(null),
    })}
    columns={[
      { title: 'Who', cell: ({ lane }) => <span class={`lane at-${LANES.indexOf(lane)}`}>{lane}</span> },
      {
        title: 'What',
        cell: ({ what, href, tone, more }) => (
          <span class="timeline-item">
            <Badge tone={tone}>{href ? <a href={href}>{what}</a> : what}</Badge>
            <span class="muted">{more}</span>
          </span>
        ),
      },
      { title: 'Account time', cell: item => <BothTimes of={item} /> },
    ]}
  />
)

const A_SECOND = 1000

/** The wall time too, if it differs and is known: after a restart it is not. */
function BothTimes({ of: { at, wallAt } }: { of: TimelineItem }) {
  const wall = wallAt === null || Math.abs(wallAt - at) < A_SECOND ? null : new Date(wallAt).toISOString()
  return (
    <>
      <ExactTime at={new Date(at).toISOString()} />
      {wall && (
        <span class="wall">
          wall <ExactTime at={wall} />
        </span>
      )}
    </>
  )
}

/** In the server's order, which has causes before effects. */
function timelineItems(timeline: Timeline, route?: string): TimelineItem[] {
  const account = place.value.account ?? ''
  const items: TimelineItem[] = []
  for (const at of timeline.order) {
    const details = itemDetails(timeline, at, account, route)
    if (!details) continue
    const { list, nth, wall_at } = at
    const item = {
      ...{ tone: 'quiet' as const, href: null, reads: null, calls: 1 },
      ...details,
      key: `${list} ${nth}`,
      at: Date.parse(at.at),
      wallAt: wall_at === null ? null : Date.parse(wall_at),
    }
    const last = items.at(-1)
    if (last?.reads && last.reads === item.reads && last.lane === item.lane)
      items[items.length - 1] = together(last)
    else items.push(item)
  }
  return items
}

const together = (first: TimelineItem): TimelineItem => ({
  ...first,
  what: first.reads ?? first.what,
  more: `${first.calls + 1} calls`,
  calls: first.calls + 1,
})

type ItemDetails = Pick<TimelineItem, 'lane' | 'what' | 'more'> & Partial<TimelineItem>

function itemDetails(
  { changes, provider_calls, requests, attempts }: Timeline,
  { list, nth }: TimelinePlace,
  account: string,
  route?: string,
): ItemDetails | undefined {
  const ofRoute = route === undefined ? null : addressOf(account, 'catalogue', null, { route })
  if (list === 'provider_calls') {
    const call = provider_calls[nth]
    const asked = `asked of the provider${route === undefined ? '' : ` by the route ${route}`}`
    return call && { lane: 'Provider', what: humanise(call.call), more: asked, href: ofRoute }
  }
  if (list === 'requests') return requests[nth] && requestOf(requests[nth], account)
  if (list === 'attempts') return attempts[nth] && attemptOf(attempts[nth], account)
  const change = changes[nth]
  return change && { ...changeOf(change), href: change.event === 'RouteFrozen' ? ofRoute : null }
}

const PAGE_OF_PAYER = /^\/(checkout|bank|qr)\//

function requestOf(request: TimelineRequest, account: string): ItemDetails {
  const { method, path, status, ms, request_id, fault } = request
  const isPayer = PAGE_OF_PAYER.test(path)
  const isRead = method === 'GET' && status < 400 && fault === null
  return {
    // Whoever controls the simulator acts as the provider does.
    lane: isPayer ? 'Payer' : path.startsWith(CONTROL_PREFIX) ? 'Provider' : 'Merchant',
    what: isPayer && isRead ? 'Payer viewed the page' : `${method} ${status}${faultWords(request)}`,
    more: `${path}, ${ms.toFixed(1)} ms`,
    tone: fault === null ? httpTone(status) : 'warn',
    href: addressOf(account, 'requests', request_id),
    reads: isRead ? (isPayer ? 'Payer viewed the page' : `${method} ${status}`) : null,
  }
}

/** What a fault did, at what it did it to: a lost answer must not look like one that arrived. */
function faultWords({ fault }: TimelineRequest): string {
  if (!fault) return ''
  const done = fault.carried_out ? '' : ', not carried out'
  return `, ${HTTP_FAULTS[fault.type]} by the fault ${fault.name ?? fault.type}${done}`
}

const HTTP_FAULTS: { readonly [T in NonNullable<TimelineRequest['fault']>['type']]: string } = {
  hold: 'held',
  latency: 'delayed',
  status: 'replaced',
  reset: 'lost',
  empty: 'emptied',
  truncate: 'cut off',
  garbage: 'garbled',
  drip: 'slowed down',
  rate: 'refused',
}

const WEBHOOK_FAULTS: { readonly [T in NonNullable<TimelineAttempt['fault']>]: string } = {
  hold: 'held',
  drop: 'dropped',
  duplicate: 'sent once more',
  delay: 'delayed',
  reorder: 'overtaken by the next one',
  bad_signature: 'signed wrongly',
}

function attemptOf(attempt: TimelineAttempt, account: string): ItemDetails {
  const { delivery, number, url, ended_at, status, error, event_type, fault } = attempt
  const answer = ended_at === null ? 'in progress' : (error ?? `answered ${status}`)
  return {
    lane: 'Your server',
    what: `${event_type ?? 'event'}, attempt ${number}${fault ? `, ${WEBHOOK_FAULTS[fault]} by a fault` : ''}`,
    more: `to ${url}: ${answer}`,
    tone: ended_at === null ? 'busy' : fault ? 'warn' : httpTone(status),
    href: addressOf(account, 'webhooks', delivery),
  }
}

function changeOf({ by, event, status, detail }: TimelineChange): ItemDetails {
  return {
    lane: laneOf(by, event),
    what: humanise(event),
    more: [`by the ${by}`, detail].filter(Boolean).join(', '),
    tone: status === null ? 'quiet' : toneOf(status),
  }
}

const OF_PROVIDER = ['RouteFrozen', 'ActionPresented', 'ActionWithdrawn']

/** A timer and an operator act as the provider does. */
function laneOf(by: string, event: string): Lane {
  if (OF_PROVIDER.includes(event)) return 'Provider'
  return by === 'merchant' ? 'Merchant' : by === 'payer' ? 'Payer' : 'Provider'
}
