import { useEffect, useState } from 'preact/hooks'
import type { FaultsState } from '../../../contract/control/faults.ts'
import { countText } from '../format.ts'
import { call } from '../state/api.ts'
import { type Change, changeFaults, replacing, replacingAll, switching } from '../state/change-list.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty } from '../ui/panel.tsx'
import { HoldsPanel } from './holds.tsx'
import { Presets } from './presets.tsx'
import { sentenceOf } from './sentence.ts'
import { SentenceDialog } from './sentence-dialog.tsx'
import { OnSwitch } from './switches.tsx'
import { YamlDialog } from './yaml.tsx'

type Fault = FaultsState['faults'][number]

const NEW_FAULT: Fault = { on: 'POST /payment_intents', type: 'reset', when: 'after_commit', nth: 2 }

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
  const [editing, setEditing] = useState<'all' | Edited | null>(null)
  const calls = useCalls()
  const inForce = faults.data?.faults ?? []
  const change = async (how: Change<Fault>) => {
    await changeFaults(account, how)
    faults.reload()
  }
  const changeAndSay = async (how: Change<Fault>, message: string, undo: Change<Fault>) => {
    await change(how)
    toast(message, 'good', () => change(undo))
  }
  const add = (items: readonly Fault[]) =>
    changeAndSay(
      now => [...items, ...now],
      'Fault added',
      now => items.reduce((left, item) => replacing(item, 0, [])(left), now),
    )
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
              <Button
                onPress={() =>
                  changeAndSay(replacingAll(inForce, []), 'All faults are removed', now => [
                    ...inForce,
                    ...now,
                  ])
                }
              >
                Remove all
              </Button>
              <Button onPress={() => setEditing('all')}>Edit all</Button>
            </>
          )}
          <Button tone="primary" icon="plus" onPress={() => setEditing({ fault: NEW_FAULT, nth: null })}>
            Add fault
          </Button>
        </>
      }
    >
      <HoldsPanel account={account} />
      <Presets
        label="Add at once"
        presets={FAULT_PRESETS}
        onPick={(preset, label) => add([{ name: label.toLowerCase(), ...preset }])}
      />
      <Ready of={faults}>
        {data => (
          <FaultList
            data={data}
            onSwitch={(fault, nth, on) => change(switching(fault, nth, on))}
            onEdit={(fault, nth) => setEditing({ fault, nth })}
            onRemove={(fault, nth) =>
              changeAndSay(replacing(fault, nth, []), 'Fault removed', now => now.toSpliced(nth, 0, fault))
            }
          />
        )}
      </Ready>
      {editing === 'all' && (
        <YamlDialog what="faults" start={inForce} onClose={() => setEditing(null)} onChange={changeAndSay} />
      )}
      {editing && editing !== 'all' && (
        <SentenceDialog
          account={account}
          title={editing.nth === null ? 'Add a fault in front' : 'Edit the fault'}
          action={editing.nth === null ? 'Add' : 'Save'}
          schema="FaultRule"
          start={withoutSwitch(editing.fault)}
          suggestions={{ on: ['*', 'webhook', ...calls] }}
          onClose={() => setEditing(null)}
          onSubmit={items =>
            editing.nth === null
              ? add(items as unknown as Fault[])
              : change(replacing(editing.fault, editing.nth, items as unknown as Fault[]))
          }
        />
      )}
    </Page>
  )
}

/** A fault as it was when somebody began to edit it, and its place; a new one has none. */
interface Edited {
  readonly fault: Fault
  readonly nth: number | null
}

/** The calls of the merchant API, as faults name them. */
function useCalls(): readonly string[] {
  const [calls, setCalls] = useState<readonly string[]>([])
  useEffect(() => {
    call('GET /openapi.json').then(
      ({ paths }) =>
        setCalls(
          Object.entries(paths as Readonly<Record<string, object>>).flatMap(([path, methods]) =>
            Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
          ),
        ),
      () => setCalls([]),
    )
  }, [])
  return calls
}

const titleOf = ({ name, type, on }: Fault) => String(name ?? `${type} on ${on ?? 'every call'}`)

interface FaultListProps {
  readonly data: FaultsState
  readonly onSwitch: (fault: Fault, nth: number, on: boolean) => Promise<void>
  readonly onEdit: (fault: Fault, nth: number) => void
  readonly onRemove: (fault: Fault, nth: number) => Promise<void>
}

function FaultList({ data, onSwitch, onEdit, onRemove }: FaultListProps) {
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
                <Button label={`Edit ${titleOf(fault)}`} onPress={() => onEdit(fault, nth)}>
                  Edit
                </Button>
                <Button onPress={() => onRemove(fault, nth)}>Remove</Button>
                <OnSwitch of={titleOf(fault)} item={fault} onSwitch={on => onSwitch(fault, nth, on)} />
              </span>
            </header>
            <p class="reads">{sentenceOf(fault)}</p>
          </li>
        )
      })}
    </ol>
  )
}

const withoutSwitch = ({ off: _, ...rest }: Fault) => rest
