import { useMemo, useState } from 'preact/hooks'
import { Chart } from '../charts/chart.tsx'
import { type Happening, happeningsOf, lastHappening } from '../charts/happenings.ts'
import { timelineOption } from '../charts/timeline-option.ts'
import { exactText } from '../format/time.ts'
import { accountPath } from '../state/api.ts'
import type { Timeline } from '../state/types.ts'
import { useLive } from '../state/use-live.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Ready } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { Table } from '../ui/table.tsx'
import { Away, ExactTime } from '../ui/time.tsx'

/** All that happened to a record and is still to come: drawn to scale, and as a table that says the same. */
export function TimelinePanel({ account, id }: { account: string; id: string }) {
  const timeline = useLive<Timeline>(accountPath(account, `/timeline/${encodeURIComponent(id)}`), {
    record: id,
    about: ['webhooks', 'requests', 'clock'],
  })
  const [span, setSpan] = useState<'past' | 'all'>('past')
  const { data } = timeline
  const happenings = useMemo(() => (data ? happeningsOf(data) : []), [data])
  const option = useMemo(
    () => (data ? timelineOption(data, happenings, span) : undefined),
    [data, happenings, span],
  )
  const hasTimers = (data?.timers.length ?? 0) > 0
  return (
    <Panel
      title="Timeline"
      flush
      aside={
        hasTimers && (
          <span class="segmented">
            <Button pressed={span === 'past'} onPress={() => setSpan('past')}>
              So far
            </Button>
            <Button pressed={span === 'all'} onPress={() => setSpan('all')}>
              With what is to come
            </Button>
          </span>
        )
      }
    >
      <Ready of={timeline}>
        {() => (
          <>
            {option && <Chart option={option} height={270} label={describe(happenings)} />}
            <HappeningTable happenings={happenings} />
          </>
        )}
      </Ready>
    </Panel>
  )
}

function describe(happenings: readonly Happening[]): string {
  const last = lastHappening(happenings)
  const latest = last ? ` The last: ${last.what}, ${exactText(last.at)}.` : ''
  return `Timeline of ${happenings.length} happenings; the table below has them all.${latest}`
}

const HappeningTable = ({ happenings }: { happenings: readonly Happening[] }) => (
  <Table<Happening>
    caption="Timeline"
    rows={happenings}
    keyOf={({ key }) => key}
    columns={[
      { title: 'Account time', cell: ({ at }) => <ExactTime at={new Date(at).toISOString()} /> },
      {
        title: 'Wall time',
        cell: ({ wallAt, lane, at }) =>
          lane === 'To come' ? (
            <Away at={new Date(at).toISOString()} />
          ) : wallAt === null ? (
            <span class="muted">not known</span>
          ) : (
            <ExactTime at={new Date(wallAt).toISOString()} />
          ),
      },
      { title: 'Where', cell: ({ lane }) => lane },
      {
        title: 'What',
        cell: ({ what, href, tone, more }) => (
          <span class="happening">
            <Badge tone={tone}>{href ? <a href={href}>{what}</a> : what}</Badge>
            <span class="muted">{more}</span>
          </span>
        ),
      },
    ]}
  />
)
