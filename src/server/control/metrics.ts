import type { Gateway } from '../../engine/gateway.ts'
import type { Holders } from '../../engine/holders.ts'
import type { RequestLog } from '../request-log.ts'

/** The Prometheus text format. */
export function metricsText(gateway: Gateway, requests: RequestLog, holders?: Holders): string {
  const samples = gateway.runtimes.map(({ account }) => {
    account.catchUp()
    return { account: account.id, world: account.world }
  })
  const perAccount = (read: (world: (typeof samples)[number]['world']) => number) =>
    samples.map(({ account, world }) => ({ labels: { account }, value: read(world) }))
  return [
    metric('paysim_requests_total', 'counter', 'Answered requests', requests.totals()),
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
    ...(holders ? nodeMetrics(holders) : []),
  ].join('')
}

/** Of this process alone: Prometheus asks each of them. */
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
      'Merchants let go, because they belong to another process',
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
  const lines = samples.map(({ labels, value }) => `${name}{${labelText(labels)}} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

const labelText = (labels: Sample['labels']) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, escaped)}"`)
    .join(',')

const escaped = (character: string) => (character === '\n' ? '\\n' : `\\${character}`)
