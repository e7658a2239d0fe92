import type { CommandTable } from './command-table.ts'
import { SIM } from './commands/sim/table.ts'

/** All that `paysim` can be told, in the order in which its help tells it. */
export const COMMANDS: CommandTable = {
  serve: { summary: 'run the whole gateway locally', load: () => import('./commands/serve.ts') },
  methods: {
    summary: 'see how an amount can be paid',
    commands: {
      list: {
        summary: 'list the methods that can be offered',
        load: () => import('./commands/methods/list.ts'),
      },
    },
  },
  payments: {
    summary: 'create payments, and see them through',
    commands: {
      create: {
        summary: 'create one; on a terminal, asks for what is missing',
        load: () => import('./commands/payments/create.ts'),
      },
      get: { summary: 'show a payment', load: () => import('./commands/payments/get.ts') },
      cancel: {
        summary: 'ask for the cancellation of a pending one',
        load: () => import('./commands/payments/cancel.ts'),
      },
      'submit-receipt': {
        summary: "submit the payer's slip",
        load: () => import('./commands/payments/submit-receipt.ts'),
      },
      wait: {
        summary: 'wait until a payment is where it is wanted',
        load: () => import('./commands/payments/wait.ts'),
      },
    },
  },
  payouts: {
    summary: 'list payouts, and cancel one',
    commands: {
      list: { summary: 'list payouts: a page, or all', load: () => import('./commands/payouts/list.ts') },
      cancel: {
        summary: 'cancel a payout that waits for its approval',
        load: () => import('./commands/payouts/cancel.ts'),
      },
    },
  },
  webhooks: {
    summary: "receive the simulator's webhooks, and check signatures",
    commands: {
      listen: {
        summary: 'receive webhooks, show them, pass them on',
        load: () => import('./commands/webhooks/listen.ts'),
      },
      verify: {
        summary: 'check the signature of a webhook that was kept',
        load: () => import('./commands/webhooks/verify.ts'),
      },
    },
  },
  request: { summary: 'make any call, signed in', load: () => import('./commands/request.ts') },
  init: {
    summary: 'set paysim up: an address, its keys, and a call that worked',
    load: () => import('./commands/init.ts'),
  },
  profile: {
    summary: 'keep addresses and keys under names',
    commands: {
      add: { summary: 'keep one', load: () => import('./commands/profile/add.ts') },
      list: { summary: 'list them', load: () => import('./commands/profile/list.ts') },
      use: { summary: 'go by one from now on', load: () => import('./commands/profile/use.ts') },
      show: { summary: 'show one, without its secret', load: () => import('./commands/profile/show.ts') },
      remove: { summary: 'forget one', load: () => import('./commands/profile/remove.ts') },
    },
  },
  sim: { summary: 'drive a running simulator: time, outcomes, faults, and a look inside', commands: SIM },
  exec: {
    summary: 'run a command, as a test suite, beside a simulator of its own',
    load: () => import('./commands/exec.ts'),
  },
  run: {
    summary: 'run scenario files: stories with calls, time and expectations',
    load: () => import('./commands/run.ts'),
  },
  scenario: {
    summary: 'check scenario files, begin one, print their JSON Schema',
    commands: {
      new: { summary: 'write one to begin with', load: () => import('./commands/scenario/new.ts') },
      validate: {
        summary: 'say all that is wrong with some',
        load: () => import('./commands/scenario/validate.ts'),
      },
      schema: {
        summary: 'print their JSON Schema, for editors',
        load: () => import('./commands/scenario/schema.ts'),
      },
    },
  },
  env: {
    summary: 'print the address and keys of the simulator that runs here',
    load: () => import('./commands/env.ts'),
  },
  contract: {
    summary: 'print the decisions in force where the interface document is silent',
    load: () => import('./commands/contract.ts'),
  },
  openapi: {
    summary: 'print the merchant API as an OpenAPI 3.1 document',
    load: () => import('./commands/openapi.ts'),
  },
  doctor: {
    summary: 'find out why calls do not work, and what to do about it',
    load: () => import('./commands/doctor.ts'),
  },
  completion: {
    summary: 'print what makes a shell complete all this',
    load: () => import('./commands/completion.ts'),
  },
}
