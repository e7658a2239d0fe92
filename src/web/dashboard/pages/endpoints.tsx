import { useState } from 'preact/hooks'
import type { EndpointRecord } from '../../../contract/control/webhooks.ts'
import type { EventChoice } from '../../../contract/event-names.ts'
import { ApiError, call } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Command, Copyable } from '../ui/copy.tsx'
import { Dialog, FormDialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { Field } from '../ui/field.tsx'
import { Ready } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

export function EndpointsPanel({ account }: { account: string }) {
  const endpoints = useLive(
    'GET /accounts/:account/webhook-endpoints',
    { params: { account } },
    { about: ['webhooks'] },
  )
  const [fresh, setFresh] = useState<EndpointRecord | null>(null)
  const rotate = async (id: string) => {
    const input = { params: { account, id }, body: {} }
    setFresh(await call('POST /accounts/:account/webhook-endpoints/:id/rotate-secret', input))
  }
  const remove = async (id: string) => {
    await call('DELETE /accounts/:account/webhook-endpoints/:id', { params: { account, id } })
    toast('Endpoint removed; its pending deliveries have failed')
    endpoints.reload()
  }
  return (
    <Panel title="Endpoints" flush>
      <Ready of={endpoints}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No endpoint yet">
              <p>Add the address of your webhook handler, or run a handler that shows what it receives:</p>
              <Command text="paysim listen" />
            </Empty>
          ) : (
            <Table<EndpointRecord>
              caption="Webhook endpoints"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: 'URL', cell: ({ url }) => <span class="path">{url}</span> },
                {
                  title: 'Events',
                  cell: ({ events }) => events?.join(', ') ?? 'final events of payments and payouts',
                },
                {
                  title: 'State',
                  cell: ({ disabled }) =>
                    disabled ? (
                      <Badge tone="bad">Disabled by a 410 response</Badge>
                    ) : (
                      <Badge tone="good">Enabled</Badge>
                    ),
                },
                { title: 'Added', cell: ({ created_at }) => <Time at={created_at} short /> },
                {
                  title: 'Actions',
                  hiddenTitle: true,
                  align: 'end',
                  cell: ({ id }) => (
                    <span class="row-actions">
                      <Button onPress={() => rotate(id)}>Rotate secret</Button>
                      <Button tone="danger" onPress={() => remove(id)}>
                        Remove
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Ready>
      {fresh && <SecretDialog endpoint={fresh} onClose={() => setFresh(null)} />}
    </Panel>
  )
}

/** Shows the secret of a new endpoint, once. */
const SecretDialog = ({ endpoint, onClose }: { endpoint: EndpointRecord; onClose: () => void }) => (
  <Dialog title="Signing secret" onClose={onClose}>
    <div class="body stack">
      <p>This secret signs everything that is sent to {endpoint.url}. It is not shown again.</p>
      {endpoint.secret && <Copyable text={endpoint.secret} what="the secret" />}
    </div>
  </Dialog>
)

export function AddEndpoint({ account }: { account: string }) {
  const [open, setOpen] = useState(false)
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState('')
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const [made, setMade] = useState<EndpointRecord | null>(null)
  const add = async () => {
    // The server checks the names.
    const wanted = events.split(/[\s,]+/).filter(Boolean) as EventChoice[]
    try {
      const body = { url: url.trim(), ...(wanted.length > 0 ? { events: wanted } : {}) }
      setMade(await call('POST /accounts/:account/webhook-endpoints', { params: { account }, body }))
      setUrl('')
      setProblems(new Map())
    } catch (error) {
      if (error instanceof ApiError)
        setProblems(
          new Map(error.details.map(({ field, message }) => [field.split('.')[0] ?? field, message])),
        )
      throw error
    }
  }
  return (
    <>
      <Button tone="primary" icon="plus" onPress={() => setOpen(true)}>
        Add endpoint
      </Button>
      {open && (
        <FormDialog
          title="Add a webhook endpoint"
          action="Add"
          onClose={() => setOpen(false)}
          onSubmit={add}
          showsProblems={problems.size > 0}
        >
          <Field
            label="URL"
            placeholder="http://127.0.0.1:4000/hooks"
            required
            value={url}
            onInput={setUrl}
            problem={problems.get('url')}
            autofocus
          />
          <Field
            label="Events (optional)"
            placeholder="payment.succeeded payment.failed"
            hint="Leave it empty for the final events of payments and payouts. Enter * for all events."
            value={events}
            onInput={setEvents}
            problem={problems.get('events')}
          />
        </FormDialog>
      )}
      {made && <SecretDialog endpoint={made} onClose={() => setMade(null)} />}
    </>
  )
}
