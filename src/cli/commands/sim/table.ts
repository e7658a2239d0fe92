import type { CommandTable } from '../../command-table.ts'

/** What a running simulator can be told, over its control surface. */
export const SIM: CommandTable = {
  status: {
    summary: 'show where it is, whether it is ready, its accounts',
    load: () => import('./status.ts'),
  },
  dashboard: { summary: 'print a link that signs a browser in', load: () => import('./dashboard.ts') },
  merchants: {
    summary: 'make merchants, each a world of its own',
    alone: 'list',
    commands: {
      list: { summary: 'list them', load: () => import('./merchants/list.ts') },
      create: { summary: 'make one', load: () => import('./merchants/create.ts') },
      show: { summary: 'show one and its keys', load: () => import('./merchants/show.ts') },
      change: { summary: 'change its name or Team policy', load: () => import('./merchants/change.ts') },
      remove: { summary: 'remove one with all it has', load: () => import('./merchants/remove.ts') },
    },
  },
  keys: {
    summary: 'give an account keys, and take them away',
    alone: 'list',
    commands: {
      list: { summary: 'list them', load: () => import('./keys/list.ts') },
      add: { summary: 'make another pair', load: () => import('./keys/add.ts') },
      revoke: { summary: 'revoke one at once', load: () => import('./keys/revoke.ts') },
    },
  },
  clock: {
    summary: 'look at the time of an account, and move it',
    alone: 'show',
    commands: {
      show: { summary: 'show it, and what is due next', load: () => import('./clock/show.ts') },
      advance: { summary: 'move a virtual one', load: () => import('./clock/advance.ts') },
      set: { summary: 'make it real or virtual, faster, later', load: () => import('./clock/set.ts') },
    },
  },
  timers: { summary: 'list what is still to happen', load: () => import('./timers.ts') },
  rules: {
    summary: 'say what the provider does',
    alone: 'list',
    commands: {
      list: { summary: 'show them, and how often each was the one', load: () => import('./rules/list.ts') },
      set: { summary: 'put others in their place', load: () => import('./rules/set.ts') },
      add: { summary: 'put others in front', load: () => import('./rules/add.ts') },
      reset: { summary: 'go back to those that ship', load: () => import('./rules/reset.ts') },
    },
  },
  faults: {
    summary: 'say what goes wrong on the wire',
    alone: 'list',
    commands: {
      list: { summary: 'show them, and how often each happened', load: () => import('./faults/list.ts') },
      set: { summary: 'put others in their place', load: () => import('./faults/set.ts') },
      clear: { summary: 'take them all away', load: () => import('./faults/clear.ts') },
    },
  },
  catalogue: {
    summary: 'say which methods and routes there are, and which providers are up',
    alone: 'show',
    commands: {
      show: { summary: 'show providers, methods and routes', load: () => import('./catalogue/show.ts') },
      set: { summary: 'put another in its place', load: () => import('./catalogue/set.ts') },
      health: { summary: 'take a provider down, or up', load: () => import('./catalogue/health.ts') },
    },
  },
  payments: {
    summary: 'look at payments whole, and play payer and provider',
    alone: 'list',
    commands: {
      list: { summary: 'list them', load: () => import('./payments/list.ts') },
      show: { summary: 'show one whole', load: () => import('./payments/show.ts') },
      succeed: {
        summary: 'let the money come',
        load: async () => (await paymentTriggers()).trigger('succeed'),
      },
      fail: { summary: 'let it fail', load: async () => (await paymentTriggers()).trigger('fail') },
      expire: { summary: 'let it expire', load: async () => (await paymentTriggers()).trigger('expire') },
      'present-action': {
        summary: 'let the payer act now',
        load: async () => (await paymentTriggers()).trigger('present-action'),
      },
      'withdraw-action': {
        summary: "end the payer's action",
        load: async () => (await paymentTriggers()).trigger('withdraw-action'),
      },
      'accept-receipt': {
        summary: 'find the receipt good',
        load: async () => (await paymentTriggers()).trigger('accept-receipt'),
      },
      'reject-receipt': {
        summary: 'find the receipt wanting',
        load: async () => (await paymentTriggers()).trigger('reject-receipt'),
      },
      'confirm-cancel': {
        summary: 'let the cancellation in flight go through',
        load: async () => (await paymentTriggers()).trigger('confirm-cancel'),
      },
    },
  },
  receipts: {
    summary: 'look at receipts, and at their images',
    alone: 'list',
    commands: {
      list: {
        summary: 'list the payments that want one or have one',
        load: () => import('./receipts/list.ts'),
      },
      image: { summary: 'get the image that was submitted', load: () => import('./receipts/image.ts') },
    },
  },
  payouts: {
    summary: 'make payouts, and decide what becomes of them',
    alone: 'list',
    commands: {
      list: { summary: 'list them', load: () => import('./payouts/list.ts') },
      show: { summary: 'show one', load: () => import('./payouts/show.ts') },
      create: { summary: 'make one', load: () => import('./payouts/create.ts') },
      approve: { summary: 'approve one', load: async () => (await payoutTriggers()).trigger('approve') },
      succeed: {
        summary: 'let the money arrive',
        load: async () => (await payoutTriggers()).trigger('succeed'),
      },
      fail: { summary: 'let it fail', load: async () => (await payoutTriggers()).trigger('fail') },
      cancel: { summary: 'cancel one', load: async () => (await payoutTriggers()).trigger('cancel') },
    },
  },
  assets: {
    summary: 'store images for receipts',
    alone: 'list',
    commands: {
      list: { summary: 'list them', load: () => import('./assets/list.ts') },
      upload: { summary: 'store one', load: () => import('./assets/upload.ts') },
    },
  },
  endpoints: {
    summary: 'say where webhooks go',
    alone: 'list',
    commands: {
      list: { summary: 'list them', load: () => import('./endpoints/list.ts') },
      add: { summary: 'send events to a URL', load: () => import('./endpoints/add.ts') },
      rotate: { summary: 'give one a new secret', load: () => import('./endpoints/rotate.ts') },
      remove: { summary: 'send no more events there', load: () => import('./endpoints/remove.ts') },
    },
  },
  deliveries: {
    summary: 'see what became of webhooks, and send them again',
    alone: 'list',
    commands: {
      list: { summary: 'list them', load: () => import('./deliveries/list.ts') },
      show: { summary: 'show one with every attempt', load: () => import('./deliveries/show.ts') },
      redeliver: { summary: 'make one attempt now', load: () => import('./deliveries/redeliver.ts') },
    },
  },
  events: { summary: 'list the events of an account', load: () => import('./events.ts') },
  history: { summary: "tell a record's life", load: () => import('./history.ts') },
  requests: {
    summary: 'see what was asked and answered last',
    alone: 'list',
    commands: {
      list: { summary: 'list the last requests', load: () => import('./requests/list.ts') },
      show: { summary: 'show one with headers and bodies', load: () => import('./requests/show.ts') },
    },
  },
  'provider-calls': {
    summary: 'list what the provider was asked for',
    load: () => import('./provider-calls.ts'),
  },
  stream: { summary: 'tell what happens as it happens', load: () => import('./stream.ts') },
  export: { summary: 'write an account to a file', load: () => import('./export.ts') },
  import: { summary: 'read one from a file', load: () => import('./import.ts') },
  reset: { summary: 'empty an account', load: () => import('./reset.ts') },
  metrics: { summary: 'print what it counts, for Prometheus', load: () => import('./metrics.ts') },
  contract: { summary: 'print the decisions in force there', load: () => import('./contract.ts') },
  openapi: { summary: 'print its merchant API as OpenAPI 3.1', load: () => import('./openapi.ts') },
}

const paymentTriggers = () => import('./payments/triggers.ts')
const payoutTriggers = () => import('./payouts/triggers.ts')
