import type { ComponentChildren } from 'preact'
import type { Buckets, Overview } from '../../../contract/control/overview.ts'
import { countText, humanise, type Tone, toneOf } from '../format.ts'
import { addressOf } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Command } from '../ui/badge.tsx'
import { Chart } from '../ui/chart.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty, Panel } from '../ui/panel.tsx'
import { firstPaymentCommand } from './first-payment.ts'

export function OverviewPage({ account }: { account: string }) {
  const overview = useLive(
    'GET /accounts/:account/overview',
    { params: { account } },
    { about: ['payments', 'payouts', 'webhooks', 'requests', 'timers'] },
  )
  return (
    <Page title="Overview">
      <Ready of={overview}>{data => <Dashboard data={data} account={account} />}</Ready>
    </Page>
  )
}

function Dashboard({ data, account }: { data: Overview; account: string }) {
  return (
    <>
      <KeyNumbers data={data} account={account} />
      <div class="charts">
        <IntentsChart data={data} account={account} />
        <RequestsChart data={data} />
        <LatencyChart data={data} />
        <WebhooksChart data={data} account={account} />
      </div>
    </>
  )
}

interface KeyNumberProps {
  readonly name: string
  readonly value: string
  readonly href: string
  readonly note: ComponentChildren
}

const KeyNumber = ({ name, value, href, note }: KeyNumberProps) => (
  <a class="key-number" href={href}>
    <span class="name">{name}</span>
    <span class="value">{value}</span>
    <span class="note">{note}</span>
  </a>
)

const share = (part: number, whole: number) => (whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`)

function KeyNumbers({ data, account }: { data: Overview; account: string }) {
  const { payments, payouts, webhooks, requests } = data
  const of = (counts: Readonly<Record<string, number>>, name: string) => counts[name] ?? 0
  const open = of(payments.by_status, 'pending') + of(payments.by_status, 'processing')
  const ended = payments.total - open
  const tried = of(webhooks.by_status, 'delivered') + of(webhooks.by_status, 'failed')
  return (
    <div class="key-numbers">
      <KeyNumber
        name="Payments"
        value={countText(payments.total)}
        href={addressOf(account, 'payments')}
        note={`${countText(open)} open`}
      />
      <KeyNumber
        name="Succeeded"
        value={share(of(payments.by_status, 'succeeded'), ended)}
        href={addressOf(account, 'payments', null, { status: 'succeeded' })}
        note={`of ${countText(ended)} ended payments`}
      />
      <KeyNumber
        name="Payouts"
        value={countText(payouts.total)}
        href={addressOf(account, 'payouts')}
        note={`${countText(of(payouts.by_status, 'requires_approval'))} wait for approval`}
      />
      <KeyNumber
        name="Webhooks delivered"
        value={share(of(webhooks.by_status, 'delivered'), tried)}
        href={addressOf(account, 'webhooks')}
        note={
          webhooks.endpoints === 0
            ? 'no endpoint yet'
            : `${countText(of(webhooks.by_status, 'pending'))} in progress`
        }
      />
      <KeyNumber
        name="Response time"
        value={requests.p50_ms === null ? '–' : `${requests.p50_ms.toFixed(1)} ms`}
        href={addressOf(account, 'requests')}
        note={
          requests.p95_ms === null ? 'no request yet' : `95 in 100 within ${requests.p95_ms.toFixed(1)} ms`
        }
      />
    </div>
  )
}

const TONES: Readonly<Record<string, Tone>> = { client_errors: 'warn', server_errors: 'bad' }

const seriesOf = ({ series }: Buckets, kinds: readonly string[]) =>
  kinds.map(kind => ({
    name: humanise(kind),
    tone: TONES[kind] ?? toneOf(kind),
    values: series[kind] ?? [],
  }))

const INTENTS = ['succeeded', 'pending', 'processing', 'expired', 'failed']

function IntentsChart({ data, account }: { data: Overview; account: string }) {
  const { over_time, by_status, total } = data.payments
  const counts = INTENTS.map(status => `${countText(by_status[status] ?? 0)} ${status}`).join(', ')
  return (
    <Panel title="Payments by status" aside={<span class="muted">{countText(total)}</span>}>
      {over_time ? (
        <Chart
          buckets={over_time}
          series={seriesOf(over_time, INTENTS)}
          as="bars"
          label={`Payments by creation time: ${counts}`}
          hrefOf={(created_after, created_before) =>
            addressOf(account, 'payments', null, { created_after, created_before })
          }
        />
      ) : (
        <Empty title="No payments yet">
          <p>Create the first payment from the folder where the server runs:</p>
          <Command text={firstPaymentCommand(account)} />
        </Empty>
      )}
    </Panel>
  )
}

const ANSWERS = ['succeeded', 'client_errors', 'server_errors']

function RequestsChart({ data }: { data: Overview }) {
  const { over_time, logged } = data.requests
  return (
    <Panel
      title="Requests"
      aside={logged > 0 && <span class="muted">the last {countText(logged)}, by the wall clock</span>}
    >
      {over_time ? (
        <Chart
          buckets={over_time}
          series={seriesOf(over_time, ANSWERS)}
          as="bars"
          label={`The last ${logged} requests over time`}
        />
      ) : (
        <Empty title="No requests yet">
          <p>Calls to the merchant API since the server started appear here.</p>
        </Empty>
      )}
    </Panel>
  )
}

function LatencyChart({ data }: { data: Overview }) {
  const { over_time, p50_over_time, p95_over_time, p50_ms, p95_ms } = data.requests
  return (
    <Panel title="Response time" aside={<span class="muted">milliseconds, by the wall clock</span>}>
      {over_time ? (
        <Chart
          buckets={over_time}
          series={[
            { name: 'Median', tone: 'info', values: p50_over_time },
            { name: '95 in 100 within', tone: 'warn', values: p95_over_time },
          ]}
          as="lines"
          textOf={ms => `${Number(ms.toFixed(1))} ms`}
          label={`Response times: median ${p50_ms} ms, 95th percentile ${p95_ms} ms`}
        />
      ) : (
        <Empty title="No responses yet">
          <p>Response times appear here, including delays by faults.</p>
        </Empty>
      )}
    </Panel>
  )
}

const ATTEMPTS = ['succeeded', 'failed']

function WebhooksChart({ data, account }: { data: Overview; account: string }) {
  const { attempts_over_time, endpoints } = data.webhooks
  return (
    <Panel title="Webhook attempts">
      {attempts_over_time ? (
        <Chart
          buckets={attempts_over_time}
          series={seriesOf(attempts_over_time, ATTEMPTS)}
          as="bars"
          label="Webhook attempts by result"
        />
      ) : (
        <Empty title={endpoints === 0 ? 'No webhook endpoint yet' : 'No webhook was sent yet'}>
          <p>
            {endpoints === 0
              ? 'Events are stored, but not sent. '
              : 'A webhook is sent when the next payment or payout ends. '}
            <a href={addressOf(account, 'webhooks')}>
              {endpoints === 0 ? 'Add an endpoint' : 'Show the endpoints'}
            </a>
          </p>
        </Empty>
      )}
    </Panel>
  )
}
