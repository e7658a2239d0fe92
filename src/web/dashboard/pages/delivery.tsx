import type { DeliveryAttempt } from '../../../contract/control/webhooks.ts'
import { spanText } from '../format.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Away, Copyable, ExactTime, HttpStatus, Status, Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { BodyView } from '../ui/json-view.tsx'
import { NotLoaded, Page } from '../ui/page.tsx'
import { Facts, Panel, Table } from '../ui/panel.tsx'
import { SendEvent } from './send-event.tsx'
import { linked, useWhy, WhyPanel } from './why.tsx'

export function DeliveryPage({ account, id }: { account: string; id: string }) {
  const params = { account, id }
  const delivery = useLive(
    'GET /accounts/:account/webhook-deliveries/:id',
    { params },
    { about: ['webhooks'] },
  )
  const why = useWhy(account, id)
  const back = { href: addressOf(account, 'webhooks'), label: 'Webhooks' }
  if (!delivery.data) return <NotLoaded title="Delivery" back={back} of={delivery} />
  const { data } = delivery
  const redeliver = async () => {
    await call('POST /accounts/:account/webhook-deliveries/:id/redeliver', { params })
    toast('One attempt starts now')
    delivery.reload()
    why.reload()
  }
  const last = data.attempts.findLast(({ response }) => response)?.response
  const isFailing = data.status === 'pending' && last && Math.floor((last.status ?? 0) / 100) !== 2
  const body = data.attempts.findLast(({ request }) => request)?.request?.body
  return (
    <Page
      title={data.event_type ?? 'Delivery'}
      back={back}
      lead={
        <>
          <Status status={isFailing ? 'failing' : data.status} />
          <Copyable text={data.id} what="the ID" />
        </>
      }
      actions={body && <SendEvent account={account} copyOf={{ event: data.event, body }} />}
    >
      <WhyPanel account={account} why={why}>
        {isFilled => (
          <Button
            tone={isFilled ? 'primary' : 'plain'}
            disabled={data.status === 'attempting'}
            onPress={redeliver}
          >
            Redeliver
          </Button>
        )}
      </WhyPanel>
      <div class="record">
        <div class="record-main">
          <Panel title="Attempts" flush>
            {data.attempts.length === 0 ? (
              <p class="empty muted">There is no attempt yet.</p>
            ) : (
              <Attempts attempts={data.attempts} />
            )}
          </Panel>
        </div>
        <div class="record-side">
          <Panel title="Details">
            <Facts
              facts={[
                ['To', data.url],
                ['Event', <Copyable key="event" text={data.event} what="the event ID" />],
                ['About', data.record && linked(account, data.record)],
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

/** The newest first; each opens to what was sent, and what came back. */
const Attempts = ({ attempts }: { attempts: readonly DeliveryAttempt[] }) => (
  <Table<DeliveryAttempt>
    caption="Attempts"
    rows={attempts.toReversed()}
    keyOf={({ number }) => String(number)}
    columns={[
      { title: 'Attempt', cell: ({ number }) => <b>{number}</b> },
      {
        title: 'Answer',
        cell: ({ response }) =>
          response ? <HttpStatus status={response.status} /> : <Status status="attempting" />,
      },
      { title: 'Started', cell: ({ started_at }) => <ExactTime at={started_at} /> },
      {
        title: 'Took',
        cell: ({ started_at, response }) =>
          response && (
            <span class="tabular">{spanText(Date.parse(response.at) - Date.parse(started_at))}</span>
          ),
      },
      {
        title: 'What was sent, and what came back',
        cell: attempt => <Sides attempt={attempt} before={attempts[attempt.number - 2]} />,
      },
    ]}
  />
)

/** What differs from the attempt before is marked. */
function Sides({ attempt, before }: { attempt: DeliveryAttempt; before: DeliveryAttempt | undefined }) {
  const { number, request, response } = attempt
  const marked = (value: string, was: string | undefined) =>
    before === undefined || value === was ? value : <mark>{value}</mark>
  const answerOf = (each: DeliveryAttempt | undefined) =>
    each?.response?.error ?? String(each?.response?.status ?? '')
  return (
    <details class="sides">
      <summary>
        Sent and received<span class="unseen"> by attempt {number}</span>
      </summary>
      <h3>Sent</h3>
      <Facts
        facts={Object.entries(request?.headers ?? {}).map(
          ([name, value]) =>
            [name, <code key={name}>{marked(value, before?.request?.headers[name])}</code>] as const,
        )}
      />
      {response && (
        <>
          <h3>Received</h3>
          <Facts
            facts={[
              ['Answer', <span key="answer">{marked(answerOf(attempt), answerOf(before))}</span>],
              ['At', <ExactTime key="at" at={response.at} />],
              ['Retry after', response.retry_after_ms !== null && spanText(response.retry_after_ms)],
            ]}
          />
          {response.body && <BodyView label={`Response to attempt ${number}`} text={response.body} />}
        </>
      )}
    </details>
  )
}
