import { useEffect } from 'preact/hooks'
import type { Holding, Node, Nodes } from '../../../contract/control/nodes.ts'
import { countText } from '../format.ts'
import { place } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Badge, Command } from '../ui/badge.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty, Panel, Table } from '../ui/panel.tsx'
import { SearchFilter } from './filters.tsx'

/** The list is polled, because events are about accounts and do not report changes of processes. */
const EVERY_MS = 2000
const MOST_SHOWN = 200

/** The processes that serve this database, and which of them holds which merchant. */
export function NodesPage() {
  const q = place.value.query.get('q') ?? ''
  const nodes = useLive('GET /nodes', { query: { limit: MOST_SHOWN, q } })
  useEffect(() => {
    const timer = window.setInterval(() => document.hidden || nodes.reload(), EVERY_MS)
    return () => window.clearInterval(timer)
  }, [])
  return (
    <Page
      title="Nodes"
      lead={
        <span class="muted">
          A merchant is held by one process at a time. Any process answers for it, by handing the call on.
        </span>
      }
    >
      <Ready of={nodes}>
        {data => (data.clustered ? <Cluster data={data} /> : <Alone node={data.node} />)}
      </Ready>
    </Page>
  )
}

const Alone = ({ node }: { node: string }) => (
  <Empty title="One process serves this store">
    <p>This is {node}. Several processes can serve one PostgreSQL database together:</p>
    <Command text="paysim serve --store postgres://…" />
  </Empty>
)

const Cluster = ({ data }: { data: Nodes }) => (
  <>
    <Panel title="Processes" flush>
      <Processes nodes={data.nodes} answering={data.node} />
    </Panel>
    <Panel title="Merchants" flush aside={<SearchFilter hint="Id of a merchant" />}>
      <Merchants {...data.holdings} />
    </Panel>
  </>
)

const Processes = ({ nodes, answering }: { nodes: readonly Node[]; answering: string }) => (
  <Table<Node>
    caption="Processes"
    rows={nodes}
    keyOf={({ node, address }) => `${node} ${address}`}
    columns={[
      {
        title: 'Process',
        cell: ({ node, address }) => (
          <span class="stacked">
            <code>{node}</code>
            <span class="muted">{address ?? 'starting'}</span>
          </span>
        ),
      },
      {
        title: 'State',
        cell: ({ node, serving }) => (
          <Badge tone={serving ? 'good' : 'bad'}>
            {!serving ? 'Gone' : node === answering ? 'Serving this page' : 'Serving'}
          </Badge>
        ),
      },
      { title: 'Merchants', cell: ({ merchants }) => countText(merchants), align: 'end' },
      { title: 'Taken over', cell: ({ takeovers }) => countText(takeovers), align: 'end' },
      { title: 'Let go', cell: ({ moves }) => countText(moves), align: 'end' },
      { title: 'Calls forwarded', cell: ({ forwarded }) => countText(forwarded), align: 'end' },
      { title: 'Lag', cell: ({ lag_ms }) => msText(lag_ms), align: 'end' },
      { title: 'Last seen', cell: ({ renewed_ms_ago }) => `${msText(renewed_ms_ago)} ago`, align: 'end' },
    ]}
  />
)

function Merchants({ data, total }: Nodes['holdings']) {
  if (total === 0)
    return (
      <Empty title="No such merchant">
        <p>No id of a merchant contains this text.</p>
      </Empty>
    )
  return (
    <>
      <Table<Holding>
        caption="Merchants"
        rows={data}
        keyOf={({ merchant }) => merchant}
        columns={[
          { title: 'Merchant', cell: ({ merchant }) => <code>{merchant}</code> },
          {
            title: 'Held by',
            cell: ({ node }) =>
              node === null ? <Badge tone="quiet">nobody, until a call comes</Badge> : <code>{node}</code>,
          },
          { title: 'Taken over', cell: ({ takeovers }) => `${countText(takeovers)} ×`, align: 'end' },
        ]}
      />
      {total > data.length && (
        <p class="muted table-note">
          These are the first {countText(data.length)} of {countText(total)} merchants. Search for others.
        </p>
      )}
    </>
  )
}

const msText = (ms: number) =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
