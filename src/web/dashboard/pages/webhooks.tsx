import { useState } from 'preact/hooks'
import type { DeliveryRow, EndpointRecord, WebhookVerdict } from '../../../contract/control/webhooks.ts'
import type { EventChoice } from '../../../contract/event-names.ts'
import { DELIVERY_STATES } from '../../../contract/statuses.ts'
import { humanise } from '../format.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { type Loaded, useLive } from '../state/use-live.ts'
import { Away, Badge, Command, Copyable, Secret, Status, Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, FormDialog, useQuestion } from '../ui/dialog.tsx'
import { Editor, Field, Select } from '../ui/field.tsx'
import { Ready } from '../ui/page.tsx'
import { Empty, Facts, Panel, Table } from '../ui/panel.tsx'
import type { ListColumn } from '../ui/virtual-list.tsx'
import { BrowsePage } from './browse-page.tsx'
import { optionsOf } from './filters.tsx'
import { Redeliver } from './redeliver.tsx'
import { EVENTS, SendEvent } from './send-event.tsx'

const COLUMNS: readonly ListColumn<DeliveryRow>[] = [
  {
    title: 'Event',
    width: 'minmax(150px, 1fr)',
    cell: ({ event_type }) => <code>{event_type ?? 'an event'}</code>,
  },
  {
    title: 'Reference',
    width: 'minmax(110px, 1fr)',
    cell: ({ reference, record }) => reference ?? record,
  },
  {
    title: 'Status and last answer',
    width: 'minmax(140px, .8fr)',
    cell: row => <Status status={row.status} note={lastAnswerOf(row)} />,
  },
  {
    title: 'Attempts',
    width: '92px',
    cell: ({ attempts }) => `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
  },
  {
    title: 'Next',
    width: 'minmax(90px, .5fr)',
    cell: row => row.next_attempt_at && <Away at={row.next_attempt_at} />,
  },
  {
    title: 'To',
    width: 'minmax(150px, 1.4fr)',
    cell: ({ url }) => <span class="path">{url}</span>,
    long: true,
  },
  {
    title: 'Created',
    width: '132px',
    cell: ({ created_at }) => <Time at={created_at} short />,
    align: 'end',
  },
]

const lastAnswerOf = ({ last_error, last_status }: DeliveryRow) => last_error ?? last_status

function nameOf(row: DeliveryRow) {
  const { event_type, record, reference, status } = row
  const about = reference ?? record
  return [`${event_type ?? 'An event'}${about ? ` of ${about}` : ''}`, humanise(status), lastAnswerOf(row)]
}

export function WebhooksPage({ account }: { account: string }) {
  const endpoints = useLive(
    'GET /accounts/:account/webhook-endpoints',
    { params: { account } },
    { about: ['webhooks'] },
  )
  const known = endpoints.data?.data ?? []
  return (
    <BrowsePage
      account={account}
      page="webhooks"
      call="GET /accounts/:account/browse/webhook-deliveries"
      label={{ one: 'delivery', many: 'deliveries' }}
      actions={
        <>
          <VerifyWebhook account={account} endpoints={known} />
          <SendEvent account={account} />
          <AddEndpoint account={account} />
        </>
      }
      search="ID or reference"
      filters={[
        { name: 'status', label: 'Status', options: optionsOf(DELIVERY_STATES) },
        { name: 'event_type', label: 'Event', options: EVENTS },
        {
          name: 'endpoint',
          label: 'Endpoint',
          options: known.map(({ id, url }) => [id, url] as const),
        },
      ]}
      more={[]}
      columns={COLUMNS}
      nameOf={nameOf}
      withAll={query => <Redeliver account={account} query={query} />}
      none={
        <Empty title="No webhook was sent yet">
          <p>
            If there is an endpoint, paysim sends it a signed webhook when a payment or a payout ends, and
            retries for three days.
          </p>
        </Empty>
      }
    >
      <EndpointsPanel account={account} endpoints={endpoints} />
    </BrowsePage>
  )
}

interface EndpointsProps {
  readonly account: string
  readonly endpoints: Loaded<{ readonly data: readonly EndpointRecord[] }>
}

function EndpointsPanel({ account, endpoints }: EndpointsProps) {
  const [fresh, setFresh] = useState<EndpointRecord | null>(null)
  const question = useQuestion()
  const rotate = async (id: string) => {
    const input = { params: { account, id }, body: {} }
    setFresh(await call('POST /accounts/:account/webhook-endpoints/:id/rotate-secret', input))
    endpoints.reload()
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
              <Command text="paysim webhooks listen" />
            </Empty>
          ) : (
            <Table<EndpointRecord>
              caption="Webhook endpoints"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'URL',
                  cell: ({ id, url }) => (
                    <a class="path" href={addressOf(account, 'webhooks', null, { endpoint: id })}>
                      {url}
                    </a>
                  ),
                },
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
                {
                  title: 'Secret',
                  cell: ({ secret }) => secret && <Secret text={secret} what="the secret" />,
                },
                { title: 'Added', cell: ({ created_at }) => <Time at={created_at} short /> },
                {
                  title: 'Actions',
                  hiddenTitle: true,
                  align: 'end',
                  cell: ({ id, url }) => (
                    <span class="row-actions">
                      <Button
                        onPress={() =>
                          question.ask({
                            title: 'Rotate the secret',
                            text: `From now on a new secret signs what is sent to ${url}. For 24 hours the old one signs it too, so that the receiver can be changed meanwhile.`,
                            action: 'Rotate',
                            onYes: () => rotate(id),
                          })
                        }
                      >
                        Rotate secret…
                      </Button>
                      <Button
                        tone="danger"
                        onPress={() =>
                          question.ask({
                            title: 'Remove an endpoint',
                            text: `Nothing is sent to ${url} any more, and its pending deliveries fail. An endpoint that is added again has another secret.`,
                            action: 'Remove',
                            onYes: () => remove(id),
                          })
                        }
                      >
                        Remove…
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
      {question.dialog}
    </Panel>
  )
}

/** Shows a secret that was made just now. */
const SecretDialog = ({ endpoint, onClose }: { endpoint: EndpointRecord; onClose: () => void }) => (
  <Dialog title="Signing secret" onClose={onClose}>
    <div class="body stack">
      <p>
        This secret signs everything that is sent to {endpoint.url}. The list of endpoints shows it again.
      </p>
      {endpoint.secret && <Copyable text={endpoint.secret} what="the secret" />}
    </div>
  </Dialog>
)

function AddEndpoint({ account }: { account: string }) {
  const [open, setOpen] = useState(false)
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState('')
  const [made, setMade] = useState<EndpointRecord | null>(null)
  const add = async () => {
    // The server checks the names.
    const wanted = events.split(/[\s,]+/).filter(Boolean) as EventChoice[]
    const body = { url: url.trim(), ...(wanted.length > 0 ? { events: wanted } : {}) }
    setMade(await call('POST /accounts/:account/webhook-endpoints', { params: { account }, body }))
    setUrl('')
  }
  return (
    <>
      <Button tone="primary" icon="plus" onPress={() => setOpen(true)}>
        Add endpoint
      </Button>
      {open && (
        <FormDialog title="Add a webhook endpoint" action="Add" onClose={() => setOpen(false)} onSubmit={add}>
          <Field
            label="URL"
            name="url"
            placeholder="http://127.0.0.1:4000/hooks"
            required
            value={url}
            onInput={setUrl}
            autofocus
          />
          <Field
            label="Events (optional)"
            name="events"
            placeholder="payment.succeeded payment.failed"
            hint="Leave it empty for the final events of payments and payouts. Enter * for all events."
            value={events}
            onInput={setEvents}
          />
        </FormDialog>
      )}
      {made && <SecretDialog endpoint={made} onClose={() => setMade(null)} />}
    </>
  )
}

interface VerifyProps {
  readonly account: string
  readonly endpoints: readonly EndpointRecord[]
}

/** Checks a webhook that somebody received and pasted. The server knows the secret. */
function VerifyWebhook({ account, endpoints }: VerifyProps) {
  const [open, setOpen] = useState(false)
  const [chosen, setChosen] = useState('')
  const [headers, setHeaders] = useState('')
  const [body, setBody] = useState('')
  const [verdict, setVerdict] = useState<WebhookVerdict | null>(null)
  const id = endpoints.find(endpoint => endpoint.id === chosen)?.id ?? endpoints[0]?.id
  const verify = async () => {
    setVerdict(null)
    if (id === undefined) return
    const webhook = { headers, ...(body === '' ? {} : { body }) }
    const input = { params: { account, id }, body: webhook }
    setVerdict(await call('POST /accounts/:account/webhook-endpoints/:id/verify', input))
  }
  return (
    <>
      <Button disabled={id === undefined} onPress={() => setOpen(true)}>
        Verify a signature
      </Button>
      {open && (
        <FormDialog
          title="Verify a signature"
          action="Verify"
          wide
          staysOpen
          onClose={() => setOpen(false)}
          onSubmit={verify}
        >
          <Select
            label="Endpoint"
            value={id ?? ''}
            options={endpoints.map(endpoint => [endpoint.id, endpoint.url] as const)}
            onChange={setChosen}
          />
          <Editor
            label="What your server received: its headers, as lines or JSON"
            name="headers"
            value={headers}
            onInput={setHeaders}
            rows={7}
          />
          <Editor
            label="The body, if it is not above, after an empty line"
            name="body"
            value={body}
            onInput={setBody}
            rows={7}
          />
          {verdict && <Verdict verdict={verdict} />}
        </FormDialog>
      )}
    </>
  )
}

const Verdict = ({ verdict: { valid, id, checks } }: { verdict: WebhookVerdict }) => (
  <div class="verdict" role="status">
    <p>
      <Badge tone={valid ? 'good' : 'bad'}>{valid ? 'Valid' : 'Not valid'}</Badge> {id && <code>{id}</code>}
    </p>
    <Facts
      facts={checks.map(({ check, means, fault }) => [
        humanise(check),
        fault === null ? means : <span class="problem">{fault}</span>,
      ])}
    />
  </div>
)
