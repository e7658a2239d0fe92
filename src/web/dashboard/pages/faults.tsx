import { useState } from 'preact/hooks'
import type { FaultsState } from '../../../contract/control/faults.ts'
import { countText } from '../format.ts'
import { call } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty } from '../ui/panel.tsx'
import { HoldsPanel } from './holds.tsx'
import { Presets } from './presets.tsx'
import { OnSwitch, switched } from './switches.tsx'
import { YamlDialog, YamlView } from './yaml.tsx'

type Fault = FaultsState['faults'][number]

const EXAMPLE = `- on: POST /payment_intents
  nth: 2
  type: reset
  when: after_commit
`

/** They come first, since the first fault that fits happens. */
export const FAULT_PRESETS: readonly { readonly label: string; readonly item: Fault }[] = [
  {
    label: 'Lose the next answer',
    item: { on: 'POST /payment_intents', type: 'reset', when: 'after_commit', times: 1 },
  },
  { label: 'Hold the next call', item: { on: '*', type: 'hold', for: '10m', times: 1 } },
  {
    label: 'Hold the next answer',
    item: { on: '*', type: 'hold', when: 'after_commit', for: '10m', times: 1 },
  },
  { label: 'Hold the next webhook', item: { on: 'webhook', type: 'hold', for: '10m', times: 1 } },
  { label: 'Down for an hour', item: { on: '*', type: 'status', status: 503, for: '1h' } },
  { label: '25 calls a second', item: { on: '*', type: 'rate', limit: 25, per: '1s' } },
]

/** The faults on the wire. */
export function FaultsPage({ account }: { account: string }) {
  const params = { account }
  const faults = useLive('GET /accounts/:account/faults', { params }, { about: ['script', 'requests'] })
  const [editing, setEditing] = useState<'add' | 'all' | null>(null)
  const inForce = faults.data?.faults ?? []
  const put = async (list: readonly Fault[], message: string) => {
    await call('PUT /accounts/:account/faults', { params, body: { faults: list } })
    faults.reload()
    toast(message, 'good', async () => {
      await call('PUT /accounts/:account/faults', { params, body: { faults: inForce } })
      faults.reload()
    })
  }
  return (
    <Page
      title="Faults"
      lead={
        <span class="muted">
          For each call, the first fault that fits happens. What you do not change keeps its counts.
        </span>
      }
      actions={
        <>
          {inForce.length > 0 && (
            <>
              <Button onPress={() => put([], 'All faults are removed')}>Remove all</Button>
              <Button onPress={() => setEditing('all')}>Edit all</Button>
            </>
          )}
          <Button tone="primary" icon="plus" onPress={() => setEditing('add')}>
            Add fault
          </Button>
        </>
      }
    >
      <HoldsPanel account={account} />
      <Presets
        label="Add at once"
        presets={FAULT_PRESETS}
        onPick={(preset, label) => put([{ name: label.toLowerCase(), ...preset }, ...inForce], 'Fault added')}
      />
      <Ready of={faults}>
        {data => (
          <FaultList
            data={data}
            onSwitch={async (nth, on) => {
              await call('PUT /accounts/:account/faults', {
                params,
                body: { faults: switched(data.faults, nth, on) },
              })
              faults.reload()
            }}
            onRemove={nth => put(data.faults.toSpliced(nth, 1), 'Fault removed')}
          />
        )}
      </Ready>
      {editing && (
        <YamlDialog
          title={editing === 'add' ? 'Add faults' : 'Edit all faults'}
          label="Faults, as YAML or JSON"
          start={editing === 'add' ? EXAMPLE : inForce}
          action={editing === 'add' ? 'Add' : 'Replace'}
          onClose={() => setEditing(null)}
          onSubmit={list =>
            put(
              (editing === 'add' ? [...inForce, ...list] : list) as Fault[],
              editing === 'add' ? 'Fault added' : 'Faults replaced',
            )
          }
        />
      )}
    </Page>
  )
}

const titleOf = ({ name, type, on }: Fault) => String(name ?? `${type} on ${on ?? 'every call'}`)

interface FaultListProps {
  readonly data: FaultsState
  readonly onSwitch: (nth: number, on: boolean) => Promise<void>
  readonly onRemove: (nth: number) => Promise<void>
}

function FaultList({ data, onSwitch, onRemove }: FaultListProps) {
  if (data.faults.length === 0)
    return (
      <Empty title="No faults">
        <p>Add a fault, for example to lose a response, slow down a call or send a webhook twice.</p>
      </Empty>
    )
  return (
    <ol class="cards">
      {data.faults.map((fault, nth) => {
        const used = data.used[nth] ?? 0
        return (
          <li key={nth} class={fault.off ? 'card is-off' : 'card'}>
            <header>
              <h2>{titleOf(fault)}</h2>
              {fault.off && <Badge tone="warn">off</Badge>}
              <Badge tone={used > 0 ? 'bad' : 'quiet'}>happened {countText(used)} ×</Badge>
              <span class="row-actions">
                <Button onPress={() => onRemove(nth)}>Remove</Button>
                <OnSwitch of={titleOf(fault)} item={fault} onSwitch={on => onSwitch(nth, on)} />
              </span>
            </header>
            <YamlView value={withoutSwitch(fault)} label={`Fault ${nth + 1}`} />
          </li>
        )
      })}
    </ol>
  )
}

const withoutSwitch = ({ off: _, ...rest }: Fault) => rest
