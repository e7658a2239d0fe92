import { useMemo, useState } from 'preact/hooks'
import type { Timeline } from '../../../contract/control/timeline.ts'
import { Chart } from '../charts/chart.tsx'
import { lanesOf, lastTimelineItem, type TimelineItem, timelineItems } from '../charts/timeline-items.ts'
import { timelineOption } from '../charts/timeline-option.ts'
import { exactText } from '../format.ts'
import type { Loaded } from '../state/use-live.ts'
import { Badge, ExactTime } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Ready } from '../ui/page.tsx'
import { Panel, Table } from '../ui/panel.tsx'

const AROUND_PX = 88
const LANE_PX = 44

/** The past and the future of a record, as a chart and as a table. */
export function TimelinePanel({ timeline }: { timeline: Loaded<Timeline> }) {
  const [span, setSpan] = useState<'past' | 'all'>('past')
  const { data } = timeline
  const items = useMemo(() => (data ? timelineItems(data) : []), [data])
  const option = useMemo(() => (data ? timelineOption(data, items, span) : undefined), [data, items, span])
  const isAhead = items.some(({ where }) => where === 'Planned')
  return (
    <Panel
      title="Timeline"
      flush
      aside={
        isAhead && (
          <span class="segmented">
            <Button pressed={span === 'past'} onPress={() => setSpan('past')}>
              So far
            </Button>
            <Button pressed={span === 'all'} onPress={() => setSpan('all')}>
              With planned
            </Button>
          </span>
        )
      }
    >
      <Ready of={timeline}>
        {() => (
          <>
            {option && (
              <Chart
                option={option}
                height={AROUND_PX + LANE_PX * lanesOf(items).length}
                label={describe(items)}
              />
            )}
            <ItemTable items={items} />
          </>
        )}
      </Ready>
    </Panel>
  )
}

function describe(items: readonly TimelineItem[]): string {
  const last = lastTimelineItem(items)
  const latest = last ? ` The last event: ${last.what}, ${exactText(last.at)}.` : ''
  return `Timeline of ${items.length} events; the table below lists them all.${latest}`
}

const ItemTable = ({ items }: { items: readonly TimelineItem[] }) => (
  <Table<TimelineItem>
    caption="Timeline"
    rows={items}
    keyOf={({ key }) => key}
    columns={[
      { title: 'Account time', cell: item => <BothTimes of={item} /> },
      { title: 'Where', cell: ({ where }) => where },
      {
        title: 'What',
        cell: ({ what, href, tone, more }) => (
          <span class="timeline-item">
            <Badge tone={tone}>{href ? <a href={href}>{what}</a> : what}</Badge>
            <span class="muted">{more}</span>
          </span>
        ),
      },
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
