import type { DeliveryAttempt } from '../../../contract/control/webhooks.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Away, Copyable, ExactTime, HttpStatus, Status, Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { BodyView } from '../ui/json-view.tsx'
import { NotLoaded, Page } from '../ui/page.tsx'
import { Facts, Panel } from '../ui/panel.tsx'

export function DeliveryPage({ account, id }: { account: string; id: string }) {
  const params = { account, id }
  const delivery = useLive(
    'GET /accounts/:account/webhook-deliveries/:id',
    { params },
    { about: ['webhooks'] },
  )
  const back = { href: addressOf(account, 'webhooks'), label: 'Webhooks' }
  if (!delivery.data) return <NotLoaded title="Delivery" back={back} of={delivery} />
  const { data } = delivery
  const redeliver = async () => {
    await call('POST /accounts/:account/webhook-deliveries/:id/redeliver', { params })
    toast('One attempt starts now')
    delivery.reload()
  }
  const body = data.attempts.findLast(({ request }) => request)?.request?.body
  return (
    <Page
      title={data.event_type ?? 'Delivery'}
      back={back}
      lead={
        <>
          <Status status={data.status} />
          <Copyable text={data.id} what="the ID" />
        </>
      }
      actions={
        <Button tone="primary" disabled={data.status === 'attempting'} onPress={redeliver}>
          Redeliver
        </Button>
      }
    >
      <div class="record">
        <div class="record-main">
          {data.attempts.length === 0 && (
            <Panel title="Attempts">
              <p class="muted">There is no attempt yet.</p>
            </Panel>
          )}
          {[...data.attempts].reverse().map(attempt => (
            <AttemptPanel key={attempt.number} attempt={attempt} />
          ))}
        </div>
        <div class="record-side">
          <Panel title="Details">
            <Facts
              facts={[
                ['To', data.url],
                ['Event', <Copyable key="event" text={data.event} what="the event ID" />],
                ['About', recordLink(account, data.record)],
                ['Created', <Time key="created" at={data.created_at} />],
                ['Next attempt', data.next_attempt_at && <Away at={data.next_attempt_at} />],
                ['Fault', data.fault],
              ]}
            />
          </Panel>
          {body && (
            <Panel title="Body">
              <BodyView label="Request body" text={body} />
            </Panel>
          )}
        </div>
      </div>
    </Page>
  )
}

function recordLink(account: string, record: string | null) {
  if (!record) return null
  const page = record.startsWith('po_') ? 'payouts' : 'payments'
  return <a href={addressOf(account, page, record)}>{record}</a>
}

function AttemptPanel({ attempt }: { attempt: DeliveryAttempt }) {
  const { number, started_at, request, response } = attempt
  const headers = Object.entries(request?.headers ?? {})
  return (
    <Panel
      title={`Attempt ${number}`}
      aside={response ? <HttpStatus status={response.status} /> : <Status status="attempting" />}
    >
      <Facts
        facts={[
          ['Started', <ExactTime key="started" at={started_at} />],
          ['Answered', response && <ExactTime at={response.at} />],
          ['Reason', response?.error],
          ...headers.map(([name, value]) => [name, <code key={name}>{value}</code>] as const),
        ]}
      />
      {response?.body && (
        <div class="answer">
          <BodyView label={`Response to attempt ${number}`} text={response.body} />
        </div>
      )}
    </Panel>
  )
}
