import { useEffect, useState } from 'preact/hooks'
import type { FaultsState } from '../../../contract/control/faults.ts'
import { call } from '../state/api.ts'
import { type Change, changeFaults, replacing, replacingAll } from '../state/change-list.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Button } from '../ui/button.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty } from '../ui/panel.tsx'
import { HoldsPanel } from './holds.tsx'
import { type ItemActions, ItemCard, type Preset, Presets, useItems } from './script-items.tsx'

type Fault = FaultsState['faults'][number]

const NEW_FAULT: Fault = { on: 'POST /payment_intents', type: 'reset', when: 'after_commit', nth: 2 }

/** They come first, since the first fault that fits happens. */
export const FAULT_PRESETS: readonly Preset<Fault>[] = [
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
  const { edit, actions, dialog } = useItems({
    ...{ account, what: 'fault', inForce, add, change, changeAndSay },
    suggestions: { on: ['*', 'webhook', ...calls] },
  })
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
              <Button onPress={() => edit('all')}>Edit all</Button>
            </>
          )}
          <Button tone="primary" icon="plus" onPress={() => edit({ item: NEW_FAULT, nth: null })}>
            Add fault
          </Button>
        </>
      }
    >
      <HoldsPanel account={account} />
      <Presets presets={FAULT_PRESETS} onAdd={add} />
      <Ready of={faults}>{data => <FaultList data={data} {...actions} />}</Ready>
      {dialog}
    </Page>
  )
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

interface FaultListProps extends ItemActions<Fault> {
  readonly data: FaultsState
}

function FaultList({ data, ...actions }: FaultListProps) {
  if (data.faults.length === 0)
    return (
      <Empty title="No faults">
        <p>Add a fault, for example to lose a response, slow down a call or send a webhook twice.</p>
      </Empty>
    )
  return (
    <ol class="cards">
      {data.faults.map((fault, nth) => (
        <ItemCard
          key={nth}
          {...actions}
          item={fault}
          nth={nth}
          name={titleOf(fault)}
          title={titleOf(fault)}
          used={[data.used[nth] ?? 0, 'happened', 'bad']}
        />
      ))}
    </ol>
  )
}
