import { useEffect, useState } from 'preact/hooks'
import type { FaultsState, HoldRecord, HoldRelease } from '../../../contract/control/faults.ts'
import { jsonOrText, laidOut } from '../../../contract/json.ts'
import { call } from '../state/api.ts'
import { type Change, changeFaults, replacing, replacingAll } from '../state/change-list.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Badge, HttpStatus, Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor, Field } from '../ui/field.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty, Panel, Table } from '../ui/panel.tsx'
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

/** What faults hold now, with what can be done to it. Nothing is shown while nothing is held. */
function HoldsPanel({ account }: { account: string }) {
  const holds = useLive('GET /accounts/:account/holds', { params: { account } }, { about: ['holds'] })
  const [changing, setChanging] = useState<HoldRecord | null>(null)
  const letGo = async ({ id }: HoldRecord, body: HoldRelease, message: string) => {
    await call('POST /accounts/:account/holds/:id/release', { params: { account, id }, body })
    holds.reload()
    toast(message)
  }
  const rows = holds.data?.data ?? []
  return (
    <>
      {rows.length > 0 && (
        <Panel title="Held now" flush>
          <Table<HoldRecord>
            caption="What is held now"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Kind', cell: ({ kind }) => <Badge tone="warn">{kind}</Badge> },
              { title: 'What', cell: hold => <About hold={hold} account={account} /> },
              { title: 'Goes by itself', cell: ({ until }) => <Time at={until} /> },
              {
                title: 'Actions',
                hiddenTitle: true,
                align: 'end',
                cell: hold => (
                  <span class="row-actions">
                    <Button onPress={() => setChanging(hold)}>Change</Button>
                    <Button onPress={() => letGo(hold, { status: 503 }, 'Failed with 503')}>Fail</Button>
                    <Button tone="danger" onPress={() => letGo(hold, { drop: true }, 'Dropped')}>
                      Drop
                    </Button>
                    <Button tone="primary" onPress={() => letGo(hold, {}, 'Let go')}>
                      Let go
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        </Panel>
      )}
      {changing && (
        <ChangeDialog
          hold={changing}
          onClose={() => setChanging(null)}
          onSubmit={body => letGo(changing, body, 'Let go with changes')}
        />
      )}
    </>
  )
}

function About({ hold: { request, delivery, status }, account }: { hold: HoldRecord; account: string }) {
  if (delivery)
    return (
      <a href={addressOf(account, 'webhooks', delivery.id)}>
        <code>{delivery.event_type ?? delivery.event}</code> <span class="path">to {delivery.url}</span>
      </a>
    )
  return (
    <span class="path">
      {status !== null && <HttpStatus status={status} />} {request?.method} {request?.path}
    </span>
  )
}

interface ChangeDialogProps {
  readonly hold: HoldRecord
  readonly onClose: () => void
  readonly onSubmit: (body: HoldRelease) => Promise<void>
}

/** A held call has no answer yet; an answer and a webhook have a body to edit. */
function ChangeDialog({ hold, onClose, onSubmit }: ChangeDialogProps) {
  const isWebhook = hold.kind === 'webhook'
  const [status, setStatus] = useState(String(hold.status ?? 200))
  const [text, setText] = useState(hold.kind === 'call' ? '{}' : laidOut(hold.body ?? ''))
  return (
    <FormDialog
      title={isWebhook ? 'Send another body' : 'Give another answer'}
      action="Let go"
      wide
      onClose={onClose}
      onSubmit={() => onSubmit({ ...(isWebhook ? {} : { status: Number(status) }), body: jsonOrText(text) })}
    >
      {!isWebhook && <Field label="Status" value={status} onInput={setStatus} required autofocus />}
      <Editor label="Body, as JSON or text" value={text} onInput={setText} />
    </FormDialog>
  )
}
