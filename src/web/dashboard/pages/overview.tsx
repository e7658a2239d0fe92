import type { Buckets, Overview } from '../../../contract/control/overview.ts'
import { commandText, countText, humanise, sentenceText, type Tone, toneOf } from '../format.ts'
import { addressOf } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Away, Money, Status, Time } from '../ui/badge.tsx'
import { Chart } from '../ui/chart.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty, Panel } from '../ui/panel.tsx'
import { FirstPayment } from './call-as-code.tsx'
import { linked } from './why.tsx'

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
      <NeedsYou data={data} account={account} />
      <div class="news">
        <Feed feed={data.feed} account={account} />
        <ComesNext next={data.next} account={account} />
      </div>
      <div class="charts">
        <IntentsChart data={data} account={account} />
        <RequestsChart data={data} account={account} />
        <LatencyChart data={data} />
        <WebhooksChart data={data} account={account} />
      </div>
    </>
  )
}

type Need = readonly [count: number, words: string, tone: Tone, href: string]

/** What waits for somebody, or fails: each is a link to the list of it. */
function NeedsYou({ data, account }: { data: Overview; account: string }) {
  const needs = needsIn(data, account).filter(([count]) => count > 0)
  if (needs.length === 0) return <p class="muted">Nothing waits for you, and nothing fails.</p>
  return (
    <ul class="needs" aria-label="What needs you">
      {needs.map(([count, words, tone, href]) => (
        <li key={href}>
          <a class={`need ${tone}`} href={href}>
            <b>{countText(count)}</b> {words}
          </a>
        </li>
      ))}
    </ul>
  )
}

function needsIn({ needs, payouts, webhooks, requests }: Overview, account: string): Need[] {
  const list = (page: string, query: Record<string, string>) => addressOf(account, page, null, query)
  const answers = (kind: string) => (requests.over_time?.series[kind] ?? []).reduce((sum, n) => sum + n, 0)
  const need = (count: number, noun: string, what: string, tone: Tone, href: string): Need => [
    count,
    `${count === 1 ? noun : `${noun}s`} ${what}`,
    tone,
    href,
  ]
  const { requires_approval: approvals = 0 } = payouts.by_status
  return [
    ...needs.failing.map(({ deliveries, endpoint, url, last_status, last_error }) => {
      const what = `failing: ${last_error ?? last_status} from ${pathOf(url)}`
      return need(deliveries, 'webhook', what, 'bad', list('webhooks', { status: 'failing', endpoint }))
    }),
    need(
      webhooks.by_status.failed ?? 0,
      'webhook',
      'given up',
      'bad',
      list('webhooks', { status: 'failed' }),
    ),
    need(answers('server_errors'), 'call', 'failed', 'bad', list('requests', { status: '5' })),
    need(answers('client_errors'), 'call', 'refused', 'warn', list('requests', { status: '4' })),
    need(needs.receipts_rejected, 'receipt', 'rejected', 'warn', list('payments', { receipt: 'rejected' })),
    need(
      needs.cancelling,
      'cancellation',
      'without an answer',
      'warn',
      list('payments', { cancelling: 'true' }),
    ),
    need(approvals, 'payout', 'to approve', 'warn', list('payouts', { status: 'requires_approval' })),
    [needs.due_in_an_hour, 'due in the next hour', 'info', list('clock', { within: '1h' })],
  ]
}

/** The whole address is in the list that the link opens. */
const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : url)

const PAGES = { payment: 'payments', payout: 'payouts', delivery: 'webhooks' } as const

/** What changed last, in the words of `why`. */
const Feed = ({ feed, account }: { feed: Overview['feed']; account: string }) => (
  <Panel title="What happened last">
    {feed.length === 0 ? (
      <p class="muted">What happens from now on appears here.</p>
    ) : (
      <ol class="feed">
        {feed.map(({ at, id, kind, name, status, sentence }) => (
          <li key={id}>
            <Time at={at} short />
            <span>
              <a href={addressOf(account, PAGES[kind], id)}>
                {kind === 'delivery' ? `Webhook of ${name}` : name}
              </a>{' '}
              <Status status={status} /> {sentenceText(sentence)}
            </span>
          </li>
        ))}
      </ol>
    )}
  </Panel>
)

const ComesNext = ({ next, account }: { next: Overview['next']; account: string }) => (
  <Panel
    title="What comes next"
    aside={next.length > 0 && <a href={addressOf(account, 'clock')}>All timers</a>}
  >
    {next.length === 0 ? (
      <p class="muted">Nothing is planned.</p>
    ) : (
      <ol class="coming">
        {next.map(({ due_at, command, record }, nth) => (
          <li key={`${nth} ${due_at}`}>
            <span class="coming-what">
              <b>{commandText(command)}</b>
              <span class="coming-when">
                <Away at={due_at} />
              </span>
            </span>
            {record && (
              <span class="coming-what">
                {linked(account, command.delivery ?? record.id, record.name)}
                <Money amount={record.amount} currency={record.currency} />
              </span>
            )}
          </li>
        ))}
      </ol>
    )}
  </Panel>
)

/** A webhook that is tried again beside one that is given up. */
const TONES: Readonly<Record<string, Tone>> = { client_errors: 'warn', server_errors: 'bad', failing: 'warn' }

/** Each with the list of what it counts, if there is one. */
const seriesOf = (
  { series }: Buckets,
  kinds: readonly string[],
  hrefOf?: (kind: string) => string | undefined,
) =>
  kinds.map(kind => ({
    href: hrefOf?.(kind),
    name: humanise(kind),
    tone: TONES[kind] ?? toneOf(kind),
    values: series[kind] ?? [],
  }))

const countsText = (statuses: readonly string[], counts: Readonly<Record<string, number>>) =>
  statuses.map(status => `${countText(counts[status] ?? 0)} ${status}`).join(', ')

const INTENTS = ['succeeded', 'pending', 'processing', 'expired', 'failed']

function IntentsChart({ data, account }: { data: Overview; account: string }) {
  const { over_time, by_status, total } = data.payments
  return (
    <Panel title="Payments by status" aside={<span class="muted">{countText(total)}</span>}>
      {over_time ? (
        <Chart
          buckets={over_time}
          series={seriesOf(over_time, INTENTS, status => addressOf(account, 'payments', null, { status }))}
          as="bars"
          label={`Payments by creation time: ${countsText(INTENTS, by_status)}`}
          hrefOf={(created_after, created_before) =>
            addressOf(account, 'payments', null, { created_after, created_before })
          }
        />
      ) : (
        <Empty title="No payments yet">
          <p>Create the first payment with the keys of this account:</p>
          <FirstPayment account={account} />
        </Empty>
      )}
    </Panel>
  )
}

const ANSWERS = ['succeeded', 'client_errors', 'server_errors']
/** As the list of requests is filtered. */
const ANSWER_FILTERS: Readonly<Record<string, string>> = {
  succeeded: '2',
  client_errors: '4',
  server_errors: '5',
}

function RequestsChart({ data, account }: { data: Overview; account: string }) {
  const { over_time, logged } = data.requests
  return (
    <Panel
      title="Requests"
      aside={logged > 0 && <span class="muted">the last {countText(logged)}, by the wall clock</span>}
    >
      {over_time ? (
        <Chart
          buckets={over_time}
          series={seriesOf(over_time, ANSWERS, kind =>
            addressOf(account, 'requests', null, { status: ANSWER_FILTERS[kind] }),
          )}
          as="bars"
          label={`The last ${logged} requests over time`}
          hrefOf={(after, before) => addressOf(account, 'requests', null, { after, before })}
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
          textOf={ms => (ms < 10_000 ? `${Number(ms.toFixed(1))} ms` : `${Math.round(ms / 1000)} s`)}
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

const DELIVERIES = ['delivered', 'pending', 'attempting', 'failing', 'failed', 'dropped']

function WebhooksChart({ data, account }: { data: Overview; account: string }) {
  const { over_time, by_status, endpoints } = data.webhooks
  const hrefOf = (query: Record<string, string>) => addressOf(account, 'webhooks', null, query)
  return (
    <Panel title="Webhooks by status">
      {over_time ? (
        <Chart
          buckets={over_time}
          series={seriesOf(over_time, DELIVERIES, status => hrefOf({ status }))}
          as="bars"
          label={`Webhooks by creation time: ${countsText(DELIVERIES, by_status)}`}
          hrefOf={(created_after, created_before) => hrefOf({ created_after, created_before })}
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
