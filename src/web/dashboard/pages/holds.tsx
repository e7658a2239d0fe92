import { useState } from 'preact/hooks'
import type { HoldRecord, HoldRelease } from '../../../contract/control/faults.ts'
import { jsonOrText, laidOut } from '../../../contract/json.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Badge, HttpStatus, Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor, Field } from '../ui/field.tsx'
import { Panel, Table } from '../ui/panel.tsx'

/** What faults hold now, with what can be done to it. Nothing is shown while nothing is held. */
export function HoldsPanel({ account }: { account: string }) {
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
