import { READ_BYTES } from '../../engine/checkpoint/past-table.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { Holders } from '../../engine/holders.ts'
import { RENDERED_BYTES } from '../../engine/rendering.ts'
import type { ServedAccount } from '../../engine/served-account.ts'
import type { EventStreams } from '../http/event-stream.ts'
import type { KeptBytes, RequestLog } from '../request-log.ts'

interface Measured {
  readonly gateway: Gateway
  readonly requests: RequestLog
  readonly streams: EventStreams
  readonly holders: Holders | undefined
}

/** The Prometheus text format. */
export function metricsText({ gateway, requests, streams, holders }: Measured): string {
  const open = gateway.accounts.flatMap(({ runtime }) => runtime ?? [])
  const samples = open.map(({ account }) => {
    account.catchUp()
    return { account: account.id, world: account.world }
  })
  const perAccount = (read: (world: (typeof samples)[number]['world']) => number) =>
    samples.map(({ account, world }) => ({ labels: { account }, value: read(world) }))
  return [
    metric('paysim_requests_total', 'counter', 'Answered requests', requests.totals()),
    metric('paysim_accounts', 'gauge', 'Accounts, by whether they are open here', statesOf(gateway.accounts)),
    metric(
      'paysim_payments',
      'gauge',
      'Payment intents',
      perAccount(world => world.payments.size),
    ),
    metric(
      'paysim_payouts',
      'gauge',
      'Payout intents',
      perAccount(world => world.payouts.size),
    ),
    metric(
      'paysim_webhook_deliveries',
      'gauge',
      'Webhook deliveries',
      perAccount(world => world.deliveries.size),
    ),
    metric(
      'paysim_pending_timers',
      'gauge',
      'Timers that have not fired',
      perAccount(world => world.timers.size),
    ),
    metric(
      'paysim_journal_entries',
      'counter',
      'Entries in the journal',
      perAccount(world => world.seq),
    ),
    metric(
      'paysim_changes_in_memory_bytes',
      'gauge',
      'Bytes of the journal since the last checkpoint was begun',
      open.map(({ account, checkpoints }) => ({
        labels: { account: account.id },
        value: checkpoints?.tail.bytes ?? 0,
      })),
    ),
    ...streamMetrics(streams),
    ...memoryMetrics(requests),
    ...(holders ? nodeMetrics(holders) : []),
  ].join('')
}

/** What else is shown of an account is known only while it is open. */
function statesOf(accounts: readonly ServedAccount[]): Sample[] {
  const count = { open: 0, unopened: 0, stopped: 0 }
  for (const { runtime, stopped } of accounts) count[runtime ? 'open' : stopped ? 'stopped' : 'unopened']++
  return Object.entries(count).map(([state, value]) => ({ labels: { state }, value }))
}

function streamMetrics({ counts }: EventStreams): string[] {
  const here = (value: number): Sample[] => [{ labels: {}, value }]
  return [
    metric('paysim_streams', 'gauge', 'Event streams that are open', here(counts.open)),
    metric(
      'paysim_stream_waiting_bytes',
      'gauge',
      'Bytes of all event streams that wait for their readers',
      here(counts.bytesWaiting),
    ),
    metric(
      'paysim_streams_cut_total',
      'counter',
      'Event streams that ended because their readers fell behind',
      here(counts.cut),
    ),
  ]
}

/** The sizes and limits of what is kept to answer faster or to be shown. */
function memoryMetrics(requests: RequestLog): string[] {
  const kept: readonly KeptBytes[] = [
    ...requests.sizes,
    { what: 'rendered records', bytes: RENDERED_BYTES.bytes, most: RENDERED_BYTES.most },
    { what: 'records read from disk', bytes: READ_BYTES.bytes, most: READ_BYTES.most },
  ]
  const samples = (read: (each: KeptBytes) => number) =>
    kept.map(each => ({ labels: { what: each.what }, value: read(each) }))
  return [
    metric(
      'paysim_kept_bytes',
      'gauge',
      'Estimate of what is kept in memory',
      samples(({ bytes }) => bytes),
    ),
    metric(
      'paysim_kept_bytes_limit',
      'gauge',
      'How much of it may be kept',
      samples(({ most }) => most),
    ),
    metric('process_resident_memory_bytes', 'gauge', 'Memory of the process', [
      { labels: {}, value: process.memoryUsage.rss() },
    ]),
  ]
}

/** The metrics of this process alone, because Prometheus asks each process. */
function nodeMetrics({ node, held, counts }: Holders): string[] {
  const here = (value: number): Sample[] => [{ labels: { node }, value }]
  return [
    metric('paysim_held_merchants', 'gauge', 'Merchants that this process holds', here(held)),
    metric(
      'paysim_takeovers_total',
      'counter',
      'Merchants taken over from other processes',
      here(counts.takeovers),
    ),
    metric(
      'paysim_moves_total',
      'counter',
      'Merchants released, because they belong to another process',
      here(counts.moves),
    ),
    metric(
      'paysim_forwarded_total',
      'counter',
      'Calls that other processes answered',
      here(counts.forwarded),
    ),
    metric(
      'paysim_lease_lag_seconds',
      'gauge',
      'How long the last renewal of the lease took',
      here(Math.round(counts.lagMs) / 1000),
    ),
  ]
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

const labelText = (labels: Sample['labels']) => {
  const named = Object.entries(labels).map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, escaped)}"`)
  return named.length > 0 ? `{${named.join(',')}}` : ''
}

const escaped = (character: string) => (character === '\n' ? '\\n' : `\\${character}`)
