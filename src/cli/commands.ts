import type { CommandTable } from './command-table.ts'
import { SIM } from './commands/sim/table.ts'

const PAYOUTS = () => import('./commands/payouts.ts')
const PROFILE = () => import('./commands/profile.ts')
const SCENARIO = () => import('./commands/scenario.ts')
const REPLAY = () => import('./commands/webhooks/replay.ts')
const STORE = () => import('./commands/store.ts')

/** All commands, in the order of the help. */
export const COMMANDS: CommandTable = {
  serve: { summary: 'run the gateway locally', load: () => import('./commands/serve.ts') },
  methods: {
    summary: 'list the payment methods for an amount',
    commands: {
      list: {
        summary: 'list the methods available for an amount',
        load: () => import('./commands/methods.ts'),
      },
    },
  },
  payments: {
    summary: 'create, show, cancel and wait for payments',
    commands: {
      create: {
        summary: 'create a payment; in a terminal, asks for missing fields',
        load: () => import('./commands/payments/create.ts'),
      },
      get: { summary: 'show a payment', load: () => import('./commands/payments/get.ts') },
      cancel: {
        summary: 'request the cancellation of a pending payment',
        load: () => import('./commands/payments/cancel.ts'),
      },
      'submit-receipt': {
        summary: "submit the payer's receipt",
        load: () => import('./commands/payments/submit-receipt.ts'),
      },
      wait: {
        summary: 'wait until a payment reaches a status',
        load: () => import('./commands/payments/wait.ts'),
      },
    },
  },
  payouts: {
    summary: 'list and cancel payouts',
    commands: {
      list: {
        summary: 'list one page of payouts, or all',
        load: async () => ({ command: (await PAYOUTS()).list }),
      },
      cancel: {
        summary: 'cancel a payout that requires approval',
        load: async () => ({ command: (await PAYOUTS()).cancel }),
      },
    },
  },
  webhooks: {
    summary: 'receive webhooks, send them again, verify signatures, check an endpoint',
    commands: {
      listen: {
        summary: "receive the simulator's webhooks, show them and forward them",
        load: () => import('./commands/webhooks/listen.ts'),
      },
      receive: {
        summary: 'receive webhooks of any gateway, show, forward and save them',
        load: () => import('./commands/webhooks/receive.ts'),
      },
      replay: {
        summary: 'send saved webhooks again, also with changes',
        load: async () => ({ command: (await REPLAY()).replay }),
      },
      send: {
        summary: 'send an invented event to a URL',
        load: async () => ({ command: (await REPLAY()).send }),
      },
      check: {
        summary: 'test what disturbed webhooks an endpoint survives',
        load: () => import('./commands/webhooks/check.ts'),
      },
      verify: {
        summary: 'verify the signature of a saved webhook',
        load: () => import('./commands/webhooks/verify.ts'),
      },
    },
  },
  request: { summary: 'make any authenticated API call', load: () => import('./commands/request.ts') },
  init: {
    summary: 'set paysim up: choose an address, enter its keys, test them',
    load: () => import('./commands/init.ts'),
  },
  profile: {
    summary: 'save addresses and keys as named profiles',
    commands: {
      add: { summary: 'save a profile', load: async () => ({ command: (await PROFILE()).add }) },
      set: {
        summary: 'change a part of a profile, such as its address',
        load: async () => ({ command: (await PROFILE()).set }),
      },
      list: { summary: 'list profiles', load: async () => ({ command: (await PROFILE()).list }) },
      use: {
        summary: 'use a profile from now on',
        load: async () => ({ command: (await PROFILE()).use }),
      },
      show: {
        summary: 'show the current profile, or another, without its secret key',
        load: async () => ({ command: (await PROFILE()).show }),
      },
      remove: { summary: 'remove a profile', load: async () => ({ command: (await PROFILE()).remove }) },
    },
  },
  sim: { summary: 'control a running simulator: time, outcomes, faults, records', commands: SIM },
  exec: {
    summary: 'run a command, such as a test suite, with its own simulator',
    load: () => import('./commands/exec.ts'),
  },
  run: {
    summary: 'run scenario files: calls, time and expectations',
    load: () => import('./commands/run.ts'),
  },
  explore: {
    summary: 'find out what your application does not survive',
    load: () => import('./commands/explore.ts'),
  },
  scenario: {
    summary: 'create and validate scenario files, also from what was done by hand',
    commands: {
      new: {
        summary: 'create a scenario file',
        load: async () => ({ command: (await SCENARIO()).create }),
      },
      from: {
        summary: 'write what was done with a payment as a scenario or a test',
        load: async () => ({ command: (await SCENARIO()).from }),
      },
      validate: {
        summary: 'validate scenario files',
        load: async () => ({ command: (await SCENARIO()).validate }),
      },
      schema: {
        summary: 'print the JSON Schema of scenario files, for editors',
        load: async () => ({ command: (await SCENARIO()).schema }),
      },
    },
  },
  client: {
    summary: 'print a client for tests in Python, PHP or Go',
    load: () => import('./commands/client.ts'),
  },
  mcp: {
    summary: 'serve an agent: why a payment waits, and what moves it',
    load: () => import('./commands/mcp.ts'),
  },
  store: {
    summary: 'check, copy and mend the data of a simulator',
    commands: {
      check: {
        summary: 'check whether a store is consistent',
        load: async () => ({ command: (await STORE()).check }),
      },
      copy: {
        summary: 'copy everything to another, empty store',
        load: async () => ({ command: (await STORE()).copy }),
      },
      'accept-loss': {
        summary: 'let an account that lost a part go on with the rest',
        load: async () => ({ command: (await STORE()).acceptLoss }),
      },
    },
  },
  env: {
    summary: 'print the address and keys of the local simulator',
    load: () => import('./commands/env.ts'),
  },
  contract: {
    summary: 'print the contract decisions, where the interface document is silent',
    load: () => import('./commands/contract.ts'),
  },
  openapi: {
    summary: 'print the merchant API as an OpenAPI 3.1 document',
    load: async () => ({ command: (await import('./commands/contract.ts')).openapi }),
  },
  health: {
    summary: 'check whether a simulator is ready, as containers need it',
    load: () => import('./commands/health.ts'),
  },
  doctor: {
    summary: 'find out why calls fail, and what to do about it',
    load: () => import('./commands/doctor.ts'),
  },
  probe: {
    summary: 'learn how a server answers what the document leaves open',
    load: () => import('./commands/probe.ts'),
  },
  verify: {
    summary: 'say where a server differs from a simulator with its contract',
    load: () => import('./commands/verify.ts'),
  },
  completion: {
    summary: 'print the completion script for a shell',
    load: () => import('./commands/completion.ts'),
  },
}
