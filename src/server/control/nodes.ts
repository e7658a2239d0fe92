import { hostname } from 'node:os'
import type { HeldMerchant, NodeState } from '../../engine/nodes.ts'
import { storeRefusal } from '../refusal.ts'
import type { ControlHandlers } from './control-call.ts'
import { one, windowIn } from './list-window.ts'
import type { ControlSettings } from './settings.ts'

/** The processes of the cluster. Any of them can answer, because everything is in the database. */
export function nodeCalls({ forwarder }: ControlSettings) {
  return {
    'GET /nodes': async (request, answer) => {
      const { offset, limit } = windowIn(request)
      const text = one(request, 'q')?.trim() ?? ''
      const holders = forwarder?.holders
      if (!holders)
        return answer(200, {
          node: `${hostname()}-${process.pid}`,
          clustered: false,
          nodes: [],
          holdings: { data: [], total: 0 },
        })
      const [nodes, { rows, total }] = await Promise.all([
        holders.nodes(),
        holders.heldMerchants({ text, offset, limit }),
      ]).catch(cause => {
        throw storeRefusal(cause, 'try again')
      })
      return answer(200, {
        node: holders.node,
        clustered: true,
        nodes: nodes.map(nodeView),
        holdings: { data: rows.map(holdingView), total },
      })
    },
  } satisfies Partial<ControlHandlers>
}

const nodeView = ({
  node,
  address,
  serving,
  merchants,
  renewedMsAgo,
  lagMs,
  takeovers,
  moves,
  forwarded,
}: NodeState) => ({
  node,
  address,
  serving,
  merchants,
  renewed_ms_ago: rounded(renewedMsAgo),
  lag_ms: rounded(lagMs),
  takeovers,
  moves,
  forwarded,
})

const holdingView = ({ merchant, node, takeovers }: HeldMerchant) => ({ merchant, node, takeovers })

const rounded = (ms: number) => Math.max(0, Math.round(ms * 10) / 10)
