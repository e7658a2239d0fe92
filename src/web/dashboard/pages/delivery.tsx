import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { DeliveryAttempt } from '../../../contract/control/webhooks.ts'
import { humanise, spanText } from '../format.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Away, BodyView, Copyable, ExactTime, HttpStatus, Status, Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
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
                [
                  'To',
                  <a key="to" href={addressOf(account, 'webhooks', null, { endpoint: data.endpoint })}>
                    {data.url}
                  </a>,
                ],
                [
                  'Event',
                  <span key="event" class="stacked">
                    <Copyable text={data.event} what="the event ID" />
                    <a href={addressOf(account, 'webhooks', null, { q: data.event })}>its deliveries</a>
                  </span>,
                ],
                ['About', data.record && linked(account, data.record, data.reference)],
                ['Created', <Time key="created" at={data.created_at} />],
                ['Next attempt', data.next_attempt_at && <Away at={data.next_attempt_at} />],
                ['Fault', data.fault && <a href={addressOf(account, 'faults')}>{humanise(data.fault)}</a>],
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

/** The newest first, and open; each opens to what was sent, and what came back. */
function Attempts({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  const [turned, setTurned] = useState<ReadonlySet<number>>(new Set())
  const isOpen = (number: number) => turned.has(number) !== (number === attempts.length)
  const turn = (number: number) => {
    const next = new Set(turned)
    if (!next.delete(number)) next.add(number)
    setTurned(next)
  }
  return (
    <Table<DeliveryAttempt>
      caption="Attempts"
      rows={attempts.toReversed()}
      keyOf={({ number }) => String(number)}
      columns={[
        {
          title: 'Attempt',
          cell: ({ number }) => (
            <button
              type="button"
              class="turns"
              aria-expanded={isOpen(number)}
              onClick={() => turn(number)}
              aria-label={`Attempt ${number}: sent and received`}
            >
              <b>{number}</b>
            </button>
          ),
        },
        {
          title: 'Answer',
          cell: ({ response }) =>
            response ? <HttpStatus status={response.status} /> : <Status status="attempting" />,
        },
        { title: 'Error', cell: ({ response }) => response?.error ?? '' },
        { title: 'Started', cell: ({ started_at }) => <ExactTime at={started_at} /> },
        {
          title: 'Took',
          cell: ({ started_at, response }) =>
            response && (
              <span class="tabular">{tookText(Date.parse(response.at) - Date.parse(started_at))}</span>
            ),
        },
      ]}
      below={attempt =>
        isOpen(attempt.number) && <Sides attempt={attempt} before={attempts[attempt.number - 2]} />
      }
    />
  )
}

/** By the account's clock. Where that stood still, it says nothing about how long the receiver took. */
const tookText = (ms: number) => (ms === 0 ? '' : spanText(ms))

interface SidesProps {
  readonly attempt: DeliveryAttempt
  readonly before: DeliveryAttempt | undefined
}

/** What differs from the attempt before is marked. */
function Sides({ attempt: { number, request, response }, before }: SidesProps) {
  const isOther = (value: unknown, was: unknown) => before !== undefined && value !== was
  const was = before?.response
  return (
    <div class="sides">
      <section aria-label={`Sent by attempt ${number}`}>
        <h3>Sent</h3>
        {request ? (
          <HeaderFacts headers={request.headers} before={before?.request?.headers} />
        ) : (
          <p class="muted">It is under way.</p>
        )}
      </section>
      <section aria-label={`Received by attempt ${number}`}>
        <h3>Received</h3>
        {response ? (
          <>
            <p>
              <Marked if={isOther(response.status, was?.status) || isOther(response.error, was?.error)}>
                {response.error ?? `Status ${response.status}`}
              </Marked>
              <span class="muted">
                {' '}
                at <ExactTime at={response.at} />
                {response.retry_after_ms !== null && `, retry after ${spanText(response.retry_after_ms)}`}
              </span>
            </p>
            {response.headers ? (
              <HeaderFacts headers={response.headers} before={was?.headers ?? undefined} />
            ) : (
              response.status !== null && <p class="muted">Its headers were not kept.</p>
            )}
            {response.body && (
              <>
                {was && isOther(response.body, was.body) && (
                  <p>
                    <mark>Another body than before</mark>
                  </p>
                )}
                <BodyView label={`Response to attempt ${number}`} text={response.body} />
              </>
            )}
          </>
        ) : (
          <p class="muted">There is no answer yet.</p>
        )}
      </section>
    </div>
  )
}

type Headers = Readonly<Record<string, string>>

/** Headers, and those that the attempt before had and this one has not. */
function HeaderFacts({ headers, before }: { headers: Headers; before: Headers | undefined }) {
  const gone = Object.entries(before ?? {}).filter(([name]) => !(name in headers))
  return (
    <Facts
      facts={[
        ...Object.entries(headers).map(
          ([name, value]) =>
            [
              name,
              <Marked key={name} if={before !== undefined && before[name] !== value}>
                <code>{value}</code>
              </Marked>,
            ] as const,
        ),
        ...gone.map(
          ([name, value]) =>
            [
              name,
              <del key={name}>
                <code>{value}</code>
              </del>,
            ] as const,
        ),
      ]}
    />
  )
}

const Marked = ({ if: isMarked, children }: { if: boolean; children: ComponentChildren }) =>
  isMarked ? <mark>{children}</mark> : <span>{children}</span>
