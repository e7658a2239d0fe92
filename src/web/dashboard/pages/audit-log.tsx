import type { Timeline, TimelineChange } from '../../../contract/control/timeline.ts'
import { humanise } from '../format/words.ts'
import type { Loaded } from '../state/use-live.ts'
import { Status } from '../ui/badge.tsx'
import { Ready } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { Table } from '../ui/table.tsx'
import { ExactTime } from '../ui/time.tsx'

/** Who did what, when, and why. */
export function AuditLog({ timeline }: { timeline: Loaded<Timeline> }) {
  return (
    <Panel title="Audit log" flush>
      <Ready of={timeline}>
        {({ changes }) => (
          <Table<TimelineChange>
            caption="Audit log"
            rows={changes}
            keyOf={({ seq, event }) => `${seq} ${event}`}
            columns={[
              { title: 'When', cell: ({ at }) => <ExactTime at={at} /> },
              { title: 'Who', cell: ({ by }) => humanise(by) },
              { title: 'What', cell: ({ event }) => humanise(event) },
              { title: 'Status', cell: ({ status }) => status && <Status status={status} /> },
              { title: 'Reason', cell: ({ detail }) => detail },
            ]}
          />
        )}
      </Ready>
    </Panel>
  )
}
