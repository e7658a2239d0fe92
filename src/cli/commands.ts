import type { CommandTable } from './command-table.ts'

/** All that `paysim` can be told, in the order in which its help tells it. */
export const COMMANDS: CommandTable = {
  serve: { summary: 'run the whole gateway locally', load: () => import('./commands/serve.ts') },
  payments: {
    summary: 'create payments, and see them through',
    commands: {
      get: { summary: 'show a payment', load: () => import('./commands/payments/get.ts') },
    },
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
  contract: {
    summary: 'print the decisions in force where the interface document is silent',
    load: () => import('./commands/contract.ts'),
  },
  openapi: {
    summary: 'print the merchant API as an OpenAPI 3.1 document',
    load: () => import('./commands/openapi.ts'),
  },
  completion: {
    summary: 'print what makes a shell complete all this',
    load: () => import('./commands/completion.ts'),
  },
}
