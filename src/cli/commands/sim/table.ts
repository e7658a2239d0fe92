import type { Command } from 'commander'
import type { CommandTable } from '../../command-table.ts'

/** The commands for a running simulator. Each file is loaded when one of its commands is called. */
export const SIM: CommandTable = {
  status: alone(
    'show the addresses, whether it is ready, and its accounts',
    async () => (await simulator()).status,
  ),
  dashboard: alone('print a link that signs a browser in', async () => (await simulator()).dashboard),
  merchants: {
    summary: 'create and manage merchants',
    alone: 'list',
    commands: async () => (await import('./merchants.ts')).merchants,
  },
  keys: {
    summary: 'add and revoke the keys of an account',
    alone: 'list',
    commands: async () => (await import('./merchants.ts')).keys,
  },
  clock: {
    summary: 'show and advance the clock of an account',
    alone: 'show',
    commands: async () => (await import('./clock.ts')).clock,
  },
  timers: alone('list the pending timers', async () => (await import('./clock.ts')).timers),
  rules: {
    summary: 'decide what the provider does',
    alone: 'list',
    commands: async () => (await import('./rules-and-faults.ts')).rules,
  },
  faults: {
    summary: 'inject faults on the wire',
    alone: 'list',
    commands: async () => (await import('./rules-and-faults.ts')).faults,
  },
  holds: {
    summary: 'see what a fault holds, and let it go',
    alone: 'list',
    commands: async () => (await import('./rules-and-faults.ts')).holds,
  },
  catalogue: {
    summary: 'set methods and routes, and take providers down',
    alone: 'show',
    commands: async () => (await import('./catalogue.ts')).catalogue,
  },
  payments: {
    summary: 'show all of a payment, and act as payer and provider',
    alone: 'list',
    commands: async () => (await import('./payments.ts')).payments,
  },
  receipts: {
    summary: 'list receipts, and get their images',
    alone: 'list',
    commands: async () => (await import('./receipts.ts')).receipts,
  },
  payouts: {
    summary: 'create payouts, and decide how they end',
    alone: 'list',
    commands: async () => (await import('./payouts.ts')).payouts,
  },
  assets: {
    summary: 'store images for receipts',
    alone: 'list',
    commands: async () => (await import('./receipts.ts')).assets,
  },
  endpoints: {
    summary: 'set where webhooks are sent',
    alone: 'list',
    commands: async () => (await import('./webhooks.ts')).endpoints,
  },
  deliveries: {
    summary: 'inspect webhook deliveries, and repeat them',
    alone: 'list',
    commands: async () => (await import('./webhooks.ts')).deliveries,
  },
  events: {
    summary: 'list the events of an account, and send one by hand',
    alone: 'list',
    commands: async () => (await import('./webhooks.ts')).events,
  },
  why: alone(
    'say why a record is as it is, and what comes next',
    async () => (await import('./history.ts')).why,
  ),
  history: alone('show the history of a record', async () => (await import('./history.ts')).history),
  requests: {
    summary: 'inspect the last requests and answers',
    alone: 'list',
    commands: async () => (await import('./requests.ts')).requests,
  },
  'provider-calls': alone(
    'list the calls that the provider received',
    async () => (await import('./requests.ts')).providerCalls,
  ),
  stream: alone('show what happens as it happens', async () => (await import('./history.ts')).stream),
  export: alone('write an account to a file', async () => (await import('./archive.ts')).exportAccount),
  import: alone('read an account from a file', async () => (await import('./archive.ts')).importAccount),
  reset: alone('empty an account', async () => (await import('./archive.ts')).reset),
  nodes: alone(
    'show the processes on one database, and what each holds',
    async () => (await simulator()).nodes,
  ),
  metrics: alone('print metrics for Prometheus', async () => (await simulator()).metrics),
  contract: alone('print the contract decisions in force', async () => (await simulator()).contract),
  openapi: alone('print the merchant API as OpenAPI 3.1', async () => (await simulator()).openapi),
}

function simulator() {
  return import('./simulator.ts')
}

/** A command that is a noun by itself. */
function alone(summary: string, command: () => Promise<() => Command>): CommandTable[string] {
  return { summary, load: async () => ({ command: await command() }) }
}
