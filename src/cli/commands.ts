import type { Command } from 'commander'
import type { CommandTable } from './command-table.ts'

const PAYMENTS = () => import('./commands/payments.ts')
const PAYOUTS = () => import('./commands/payouts.ts')
const PROFILE = () => import('./commands/profile.ts')
const SCENARIO = () => import('./commands/scenario.ts')
const REPLAY = () => import('./commands/webhooks/replay.ts')
const STORE = () => import('./commands/store.ts')
const MERCHANTS = () => import('./commands/sim/merchants.ts')
const RULES = () => import('./commands/sim/rules-and-faults.ts')
const RECEIPTS = () => import('./commands/sim/receipts.ts')
const WEBHOOKS = () => import('./commands/sim/webhooks.ts')
const HISTORY = () => import('./commands/sim/history.ts')
const ARCHIVE = () => import('./commands/sim/archive.ts')
const CLOCK = () => import('./commands/sim/clock.ts')
const REQUESTS = () => import('./commands/sim/requests.ts')
const SIMULATOR = () => import('./commands/sim/simulator.ts')

type Make = (all: CommandTable) => Command

/** A command. Its module is loaded when it is called. */
const leaf = <N extends string = 'command'>(
  summary: string,
  load: () => Promise<Readonly<Record<NoInfer<N>, Make>>>,
  name = 'command' as N,
) => ({ summary, load: async () => (await load())[name] })

/** The commands of one noun of `sim`. The noun by itself means `alone`. */
const noun = <N extends string>(
  summary: string,
  alone: string,
  load: () => Promise<Readonly<Record<NoInfer<N>, CommandTable>>>,
  name: N,
) => ({ summary, alone, commands: async () => (await load())[name] })

/** The commands for a running simulator. */
export const SIM: CommandTable = {
  status: leaf('show the addresses, whether it is ready, and its accounts', SIMULATOR, 'status'),
  dashboard: leaf('print a link that signs a browser in', SIMULATOR, 'dashboard'),
  merchants: noun('create and manage merchants', 'list', MERCHANTS, 'merchants'),
  keys: noun('add and revoke the keys of an account', 'list', MERCHANTS, 'keys'),
  clock: noun('show and advance the clock of an account', 'show', CLOCK, 'clock'),
  timers: leaf('list the pending timers', CLOCK, 'timers'),
  rules: noun('decide what the provider does', 'list', RULES, 'rules'),
  faults: noun('inject faults on the wire', 'list', RULES, 'faults'),
  holds: noun('see what a fault holds, and let it go', 'list', RULES, 'holds'),
  catalogue: noun(
    'set methods and routes, and take providers down',
    'show',
    () => import('./commands/sim/catalogue.ts'),
    'catalogue',
  ),
  payments: noun(
    'show all of a payment, and act as payer and provider',
    'list',
    () => import('./commands/sim/payments.ts'),
    'payments',
  ),
  receipts: noun('list receipts, and get their images', 'list', RECEIPTS, 'receipts'),
  payouts: noun(
    'create payouts, and decide how they end',
    'list',
    () => import('./commands/sim/payouts.ts'),
    'payouts',
  ),
  assets: noun('store images for receipts', 'list', RECEIPTS, 'assets'),
  endpoints: noun('set where webhooks are sent', 'list', WEBHOOKS, 'endpoints'),
  deliveries: noun('inspect webhook deliveries, and repeat them', 'list', WEBHOOKS, 'deliveries'),
  events: noun('list the events of an account, and send one by hand', 'list', WEBHOOKS, 'events'),
  why: leaf('say why a record is as it is, and what comes next', HISTORY, 'why'),
  history: leaf('show the history of a record', HISTORY, 'history'),
  requests: noun('inspect the last requests and answers', 'list', REQUESTS, 'requests'),
  'provider-calls': leaf('list the calls that the provider received', REQUESTS, 'providerCalls'),
  stream: leaf('show what happens as it happens', HISTORY, 'stream'),
  export: leaf('write an account to a file', ARCHIVE, 'exportAccount'),
  import: leaf('read an account from a file', ARCHIVE, 'importAccount'),
  reset: leaf('empty an account', ARCHIVE, 'reset'),
  nodes: leaf('show the processes on one database, and what each holds', SIMULATOR, 'nodes'),
  metrics: leaf('print metrics for Prometheus', SIMULATOR, 'metrics'),
  contract: leaf('print the contract decisions in force', SIMULATOR, 'contract'),
  openapi: leaf('print the merchant API as OpenAPI 3.1', SIMULATOR, 'openapi'),
}

/** All commands, in the order of the help. */
export const COMMANDS: CommandTable = {
  serve: leaf('run the gateway locally', () => import('./commands/serve.ts')),
  methods: {
    summary: 'list the payment methods for an amount',
    commands: {
      list: leaf('list the methods available for an amount', () => import('./commands/methods.ts')),
    },
  },
  payments: {
    summary: 'create, show, cancel and wait for payments',
    commands: {
      create: leaf(
        'create a payment; in a terminal, asks for missing fields',
        () => import('./commands/payments/create.ts'),
      ),
      get: leaf('show a payment', PAYMENTS, 'get'),
      cancel: leaf('request the cancellation of a pending payment', PAYMENTS, 'cancel'),
      'submit-receipt': leaf("submit the payer's receipt", PAYMENTS, 'submitReceipt'),
      wait: leaf('wait until a payment reaches a status', () => import('./commands/payments/wait.ts')),
    },
  },
  payouts: {
    summary: 'list and cancel payouts',
    commands: {
      list: leaf('list one page of payouts, or all', PAYOUTS, 'list'),
      cancel: leaf('cancel a payout that requires approval', PAYOUTS, 'cancel'),
    },
  },
  webhooks: {
    summary: 'receive webhooks, send them again, verify signatures, check an endpoint',
    commands: {
      listen: leaf(
        "receive the simulator's webhooks, show them and forward them",
        () => import('./commands/webhooks/listen.ts'),
      ),
      receive: leaf(
        'receive webhooks of any gateway, show, forward and save them',
        () => import('./commands/webhooks/receive.ts'),
      ),
      replay: leaf('send saved webhooks again, also with changes', REPLAY, 'replay'),
      send: leaf('send an invented event to a URL', REPLAY, 'send'),
      check: leaf(
        'test what disturbed webhooks an endpoint survives',
        () => import('./commands/webhooks/check.ts'),
      ),
      verify: leaf('verify the signature of a saved webhook', () => import('./commands/webhooks/verify.ts')),
    },
  },
  request: leaf('make any authenticated API call', () => import('./commands/request.ts')),
  init: leaf(
    'set paysim up: choose an address, enter its keys, test them',
    () => import('./commands/init.ts'),
  ),
  profile: {
    summary: 'save addresses and keys as named profiles',
    commands: {
      add: leaf('save a profile', PROFILE, 'add'),
      set: leaf('change a part of a profile, such as its address', PROFILE, 'set'),
      list: leaf('list profiles', PROFILE, 'list'),
      use: leaf('use a profile from now on', PROFILE, 'use'),
      show: leaf('show the current profile, or another, without its secret key', PROFILE, 'show'),
      remove: leaf('remove a profile', PROFILE, 'remove'),
    },
  },
  sim: { summary: 'control a running simulator: time, outcomes, faults, records', commands: SIM },
  exec: leaf(
    'run a command, such as a test suite, with its own simulator',
    () => import('./commands/exec.ts'),
  ),
  run: leaf('run scenario files: calls, time and expectations', () => import('./commands/run.ts')),
  explore: leaf('find out what your application does not survive', () => import('./commands/explore.ts')),
  scenario: {
    summary: 'create and validate scenario files, also from what was done by hand',
    commands: {
      new: leaf('create a scenario file', SCENARIO, 'create'),
      from: leaf('write what was done with a payment as a scenario or a test', SCENARIO, 'from'),
      validate: leaf('validate scenario files', SCENARIO, 'validate'),
      schema: leaf('print the JSON Schema of scenario files, for editors', SCENARIO, 'schema'),
    },
  },
  client: leaf('print a client for tests in Python, PHP or Go', () => import('./commands/client.ts')),
  mcp: leaf('serve an agent: why a payment waits, and what moves it', () => import('./commands/mcp.ts')),
  store: {
    summary: 'check, copy and mend the data of a simulator',
    commands: {
      check: leaf('check whether a store is consistent', STORE, 'check'),
      copy: leaf('copy everything to another, empty store', STORE, 'copy'),
      'accept-loss': leaf('let an account that lost a part go on with the rest', STORE, 'acceptLoss'),
    },
  },
  env: leaf('print the address and keys of the local simulator', () => import('./commands/env.ts')),
  contract: leaf(
    'print the contract decisions, where the interface document is silent',
    () => import('./commands/contract.ts'),
  ),
  openapi: leaf(
    'print the merchant API as an OpenAPI 3.1 document',
    () => import('./commands/contract.ts'),
    'openapi',
  ),
  health: leaf(
    'check whether a simulator is ready, as containers need it',
    () => import('./commands/health.ts'),
  ),
  doctor: leaf('find out why calls fail, and what to do about it', () => import('./commands/doctor.ts')),
  probe: leaf(
    'learn how a server answers what the document leaves open',
    () => import('./commands/probe.ts'),
  ),
  verify: leaf(
    'say where a server differs from a simulator with its contract',
    () => import('./commands/verify.ts'),
  ),
  completion: leaf('print the completion script for a shell', () => import('./commands/completion.ts')),
}
