import type { ControlCall } from '../control/operations.ts'
import { EXAMPLE_PAYMENT, EXAMPLE_PAYOUT } from './examples.ts'
import type { Json } from './plain.ts'

/** What the document of the control surface says of a call besides its shapes. */
export interface CallWords {
  readonly description: string
  /** A body that a new simulator accepts. */
  readonly example?: Json
  /** The call that comes before this one, and what of it this one needs. */
  readonly after?: { readonly call: ControlCall } & Needs
}

interface Needs {
  /** The value of the last parameter in the path. */
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly requestBody?: string
}

const ID = '$response.body#/id'
const NEWEST = '$response.body#/data/0/id'

const afterMerchant = { call: 'POST /merchants', id: ID } as const
const afterList = { call: 'GET /accounts/:account/payments', id: NEWEST } as const
const afterChoice = { call: 'POST /accounts/:account/payments/:id/choose', id: ID } as const
const afterReceipt = { call: 'POST /accounts/:account/payments/:id/receipt', id: ID } as const
const afterPayout = { call: 'POST /accounts/:account/payouts', id: ID } as const
const afterApproval = { call: 'POST /accounts/:account/payouts/:id/approve', id: ID } as const
const afterEndpoint = { call: 'POST /accounts/:account/webhook-endpoints', id: ID } as const
const afterDeliveries = { call: 'GET /accounts/:account/webhook-deliveries', id: NEWEST } as const

const RULES = {
  rules: [
    {
      name: 'large transfers are declined',
      match: { method: 'th_bank_transfer', amount: { gte: '1000000' } },
      outcome: { after: '5s', status: 'failed', code: 'payment_declined' },
    },
  ],
}

/** Every call: the compiler asks for those that are missing. */
export const CONTROL_WORDS: Readonly<Record<ControlCall, CallWords>> = {
  'GET /health': { description: 'Answers as soon as the server listens. Needs no token.' },
  'GET /ready': {
    description:
      'Answers 200 once every call can be answered. `stopped` names the accounts that could not be opened.',
  },
  'GET /contract': {
    description: 'What this server does where the description of the interface leaves a question open.',
  },
  'GET /openapi.json': { description: 'OpenAPI 3.1, according to the decisions in force.' },
  'GET /control.json': { description: 'OpenAPI 3.1 of every call of the control surface.' },
  'GET /metrics': { description: 'Counters and gauges of the process and of its open accounts.' },
  'GET /nodes': {
    description: 'Only a server whose store is a database has others beside it.',
  },
  'POST /merchants': {
    description:
      'Each test can have a merchant of its own, so that tests cannot disturb each other. Without a body, everything has its default.',
    example: { name: 'Shop', clock: { mode: 'virtual', now: '2027-01-01T00:00:00Z' } },
  },
  'GET /merchants': { description: 'With their accounts and newest keys.' },
  'GET /merchants/:id': { description: 'With its accounts and newest keys.', after: afterMerchant },
  'PATCH /merchants/:id': {
    description: 'What is left out stays. The Team policy holds from the next request on.',
    example: { name: 'Another name', checkout_modes: ['hosted', 'merchant'] },
    after: afterMerchant,
  },
  'DELETE /merchants/:id': { description: 'This cannot be undone.', after: afterMerchant },
  'GET /accounts/:account/keys': { description: 'All of them are valid.' },
  'POST /accounts/:account/keys': { description: 'The other pairs stay valid.' },
  'DELETE /accounts/:account/keys/:key': {
    description: 'The next request with this pair is refused.',
    after: { call: 'POST /accounts/:account/keys', id: '$response.body#/public_key' },
  },
  'GET /accounts/:account/clock': { description: 'Its mode, its time and the next timer.' },
  'PUT /accounts/:account/clock': {
    description: 'A virtual clock stands still until it is advanced; a real one runs.',
    example: { mode: 'virtual' },
  },
  'POST /accounts/:account/clock/advance': {
    description:
      'By a duration, to a time, or until nothing is left to do. Everything that becomes due happens, and its webhooks are sent.',
    example: { by: '5s' },
    after: { call: 'PUT /accounts/:account/clock' },
  },
  'GET /accounts/:account/timers': { description: 'What will happen by itself, and when.' },
  'GET /accounts/:account/catalogue': {
    description: 'The methods that can be offered, and the routes that carry them.',
  },
  'PUT /accounts/:account/catalogue': {
    description: 'Payments that exist keep the route that they have.',
    after: { call: 'GET /accounts/:account/catalogue', requestBody: '$response.body' },
    example: {
      providers: [{ id: 'banyan' }],
      methods: [{ code: 'th_promptpay', label: 'PromptPay QR', category: 'bank_transfer' }],
      routes: [
        {
          id: 'banyan-th-qr',
          provider: 'banyan',
          method: 'th_promptpay',
          local_code: 'qr',
          environments: ['test', 'live'],
          country: 'TH',
          currency: 'THB',
          checkout_modes: ['hosted', 'merchant'],
          action: 'display_qr_code',
          cancel_pending: true,
        },
      ],
    },
  },
  'PATCH /accounts/:account/catalogue/providers/:provider': {
    description: 'The routes of a provider that is not healthy are not used.',
    example: { healthy: true },
    after: { call: 'GET /accounts/:account/catalogue', id: '$response.body#/providers/0/id' },
  },
  'GET /accounts/:account/rules': {
    description: 'The first rule that matches a payment or payout is followed.',
  },
  'PUT /accounts/:account/rules': { description: 'Payments that exist keep their rule.', example: RULES },
  'POST /accounts/:account/rules': { description: 'Those in force keep their counts.', example: RULES },
  'POST /accounts/:account/rules/try': {
    description:
      'Of the last 100 payments and the last 100 payouts, the oldest first, as if all counts began with them.',
    example: RULES,
  },
  'DELETE /accounts/:account/rules': { description: 'The rules that a new account has are in force again.' },
  'GET /accounts/:account/faults': { description: 'With how often each of them happened.' },
  'PUT /accounts/:account/faults': {
    description:
      'What goes wrong on the wire: answers that are late, cut or wrong, and webhooks that get lost.',
    example: {
      faults: [
        { on: 'GET /payout_intents', type: 'status', status: 429, retry_after: '2s', times: 1 },
        { on: 'webhook', type: 'duplicate', match: { type: 'payment.succeeded' } },
      ],
    },
  },
  'DELETE /accounts/:account/faults': { description: 'Every call is answered as it should be again.' },
  'GET /accounts/:account/holds': { description: 'Those of type `hold`, the oldest first.' },
  'POST /accounts/:account/holds/:id/release': {
    after: { call: 'GET /accounts/:account/holds', id: NEWEST },
    description: 'Without a body, it goes on as it is.',
    example: { status: 503 },
  },
  'GET /accounts/:account/payments': { description: 'All of them in one page, or pages of `limit`.' },
  'GET /accounts/:account/payments/:id': {
    description: 'With its route, its rule, and the triggers that are possible now.',
    after: afterList,
  },
  'POST /accounts/:account/payments/:id/present-action': {
    description: 'A payment that is processing becomes pending: the payer can act now.',
    example: {},
    after: { call: 'POST /accounts/:account/payments/:id/withdraw-action', id: ID },
  },
  'POST /accounts/:account/payments/:id/withdraw-action': {
    description: 'A pending payment becomes processing: the payer can act no more.',
    example: {},
    after: afterChoice,
  },
  'POST /accounts/:account/payments/:id/succeed': {
    description: 'It is paid.',
    example: {},
    after: afterChoice,
  },
  'POST /accounts/:account/payments/:id/fail': {
    description: 'It failed for this reason, or for the default one.',
    example: { failure_code: 'payment_declined', failure_message: 'The payer declined' },
    after: afterChoice,
  },
  'POST /accounts/:account/payments/:id/expire': {
    description: 'Nobody paid in time.',
    example: {},
    after: afterChoice,
  },
  'POST /accounts/:account/payments/:id/accept-receipt': {
    description: 'The provider accepts the receipt that it checks.',
    example: {},
    after: afterReceipt,
  },
  'POST /accounts/:account/payments/:id/reject-receipt': {
    description: 'The provider rejects the receipt that it checks; the payer can send another one.',
    example: { failure_message: 'Amount is not legible' },
    after: afterReceipt,
  },
  'POST /accounts/:account/payments/:id/confirm-cancel': {
    description: 'The provider confirms the cancellation that the merchant asked for.',
    example: {},
    after: afterList,
  },
  'POST /accounts/:account/payments/:id/choose': {
    description: 'For a hosted payment without a method. What the method needs of the payer is sent with it.',
    example: { method: 'th_bank_transfer', bank: 'gsb', customer_name: 'Somchai Jaidee' },
    after: afterList,
  },
  'POST /accounts/:account/payments/:id/receipt': {
    description: 'For a hosted payment whose method asks for a receipt.',
    after: afterChoice,
  },
  'POST /accounts/:account/payments/:id/return': {
    description: 'A redirect in the answer of the shop is not followed.',
    after: afterList,
  },
  'GET /accounts/:account/provider-calls': { description: 'In their order, the oldest first.' },
  'POST /accounts/:account/assets': { description: 'A receipt can then name it by its `asset_id`.' },
  'GET /accounts/:account/assets': { description: 'With the payment that each of them is attached to.' },
  'GET /accounts/:account/images/:digest': {
    description: 'The bytes as they were uploaded.',
    after: { call: 'POST /accounts/:account/assets', id: '$response.body#/digest' },
  },
  'GET /accounts/:account/payouts': { description: 'All of them in one page, or pages of `limit`.' },
  'POST /accounts/:account/payouts': {
    description: 'The merchant API cannot create payouts, so this is where they come from.',
    example: {
      amount: '5000',
      currency: 'THB',
      country: 'TH',
      merchant_reference: 'refund-7',
      recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' },
    },
  },
  'GET /accounts/:account/payouts/:id': {
    description: 'With its rule, and the triggers that are possible now.',
    after: afterPayout,
  },
  'POST /accounts/:account/payouts/:id/approve': {
    description: 'It is processing.',
    example: {},
    after: afterPayout,
  },
  'POST /accounts/:account/payouts/:id/succeed': {
    description: 'The money arrived.',
    example: {},
    after: afterApproval,
  },
  'POST /accounts/:account/payouts/:id/fail': {
    description: 'It failed for this reason, or for the default one.',
    example: { failure_code: 'account_closed', failure_message: 'The account is closed' },
    after: afterApproval,
  },
  'POST /accounts/:account/payouts/:id/cancel': {
    description: 'As the merchant can.',
    example: { reason: 'Sent twice' },
    after: afterPayout,
  },
  'GET /accounts/:account/webhook-endpoints': { description: 'With their secrets.' },
  'POST /accounts/:account/webhook-endpoints': {
    description: 'Without `events`, it gets every event that is on by default.',
    example: { url: 'http://127.0.0.1:3000/hooks' },
  },
  'DELETE /accounts/:account/webhook-endpoints/:id': {
    description: 'Nothing more is sent to it.',
    after: afterEndpoint,
  },
  'POST /accounts/:account/webhook-endpoints/:id/rotate-secret': {
    description: 'The old secret signs as well until the overlap is over.',
    example: { overlap: '24h' },
    after: afterEndpoint,
  },
  'POST /accounts/:account/webhook-endpoints/:id/verify': {
    description: 'The checks of `paysim webhooks verify`, in the same words.',
    example: {
      headers: 'webhook-id: evt_1\nwebhook-timestamp: 1798796400\nwebhook-signature: v1,c2lnbmVk',
      body: '{"id":"evt_1"}',
    },
    after: afterEndpoint,
  },
  'GET /accounts/:account/events': { description: 'Also those that no endpoint asked for.' },
  'POST /accounts/:account/events': {
    description: 'To all endpoints that take it, signed, with the normal retries. It changes no record.',
    example: { type: 'payment.succeeded', data: { amount: '9900' } },
  },
  'GET /accounts/:account/webhook-deliveries': { description: 'With what was sent, and what came back.' },
  'GET /accounts/:account/webhook-deliveries/:id': {
    description: 'With the record that it is about.',
    after: afterDeliveries,
  },
  'POST /accounts/:account/webhook-deliveries/:id/redeliver': {
    description: 'Also if it was delivered, or given up.',
    after: afterDeliveries,
  },
  'GET /accounts/:account/history/:id': { description: 'Everything that changed it.', after: afterList },
  'GET /accounts/:account/why/:id': {
    description: 'With the commands that would change it.',
    after: afterList,
  },
  'GET /accounts/:account/scenario': {
    description:
      'Who did what and when, with what was seen as expectations. Texts of records become literals.',
    after: { call: 'GET /accounts/:account/payments', query: { id: NEWEST } },
  },
  'GET /accounts/:account/requests': { description: 'Those of the merchant, as they were answered.' },
  'POST /accounts/:account/requests': {
    description:
      'To this server alone. What is left out of a request of the log stays as it was, with what is masked where it is shown; with no `of`, `method` and `path` are required. `status` is what the merchant API answered.',
    example: { method: 'GET', path: '/payment_methods/options?country=TH&currency=THB' },
  },
  'GET /accounts/:account/requests/:id': {
    description: 'With headers and bodies while they are kept, without secrets.',
    after: { call: 'GET /accounts/:account/requests', id: '$response.body#/data/0/request_id' },
  },
  'GET /accounts/:account/stream': {
    description: 'It ends when the reader is too slow, and can be continued.',
  },
  'GET /accounts/:account/export': { description: 'Its whole history, with the images.' },
  'PUT /accounts/:account/import': {
    description: 'What the account had is gone. It keeps its keys.',
    example: { paysim: 1, account: 'default.test', seed: 'example', entries: [], images: {} },
    after: { call: 'GET /accounts/:account/export', requestBody: '$response.body' },
  },
  'POST /accounts/:account/reset': {
    description: 'It is as new. It keeps its keys, and of its settings those in `keep`.',
    example: { keep: ['endpoints', 'rules'] },
  },
  'GET /accounts/:account/timeline/:id': {
    description: 'What the page of the dashboard shows.',
    after: afterList,
  },
  'GET /accounts/:account/overview': { description: 'What the first page of the dashboard shows.' },
  'GET /accounts/:account/browse/payments': { description: 'For lists that can be scrolled to any place.' },
  'GET /accounts/:account/browse/payouts': { description: 'For lists that can be scrolled to any place.' },
  'GET /accounts/:account/browse/webhook-deliveries': {
    description: 'For lists that can be scrolled to any place.',
  },
  'POST /yaml/read': {
    description: 'For rules and faults that are edited as YAML.',
    example: { text: '- on: GET /payout_intents\n  type: reset\n' },
  },
  'POST /yaml/write': {
    description: 'For rules and faults that are shown as YAML.',
    example: { values: [[{ on: 'GET /payout_intents', type: 'reset' }]] },
  },
  'POST /dashboard/links': { description: 'It works once, and for a short time.' },
  'GET /dashboard/sign-in': { description: 'A browser opens it; it leads to the dashboard.' },
  'GET /dashboard/session': { description: 'By its cookie.' },
  'POST /dashboard/session': {
    description: 'The answer sets a cookie, which stands for the token.',
    example: { token: 'docs-token' },
  },
  'DELETE /dashboard/session': {
    description: 'The cookie is worth nothing any more.',
    after: { call: 'POST /dashboard/session' },
  },
}

/**
 * What stands in a path, and an example, by the name of the parameter or by the noun before it. Those of a new simulator
 * exist; others come from the call before.
 */
const PATH_PARAMETERS: Readonly<Record<string, readonly [description: string, example: string]>> = {
  account: ['The merchant and the environment.', 'default.test'],
  merchants: ['The id of the merchant.', 'default'],
  keys: ['The public key of the pair.', 'pk_test_4eC39HqLyjWDarjtT1zdp7dc'],
  provider: ['The id of a provider in the catalogue.', 'banyan'],
  payments: ['The id of the payment.', EXAMPLE_PAYMENT],
  digest: [
    'The SHA-256 of the bytes of the image, in hexadecimal.',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  payouts: ['The id of the payout.', EXAMPLE_PAYOUT],
  'webhook-endpoints': ['The id of the endpoint.', 'we_5kQ2mT8xV1bN4cR7zL9wH3yJ'],
  'webhook-deliveries': ['The id of the delivery.', 'whd_7nB3xK9mQ2vT5cL8wR1zH4yJ'],
  history: ['The id of any record of the account.', EXAMPLE_PAYMENT],
  why: ['The id of a payment, a payout, a delivery or a request.', EXAMPLE_PAYMENT],
  holds: ['The id of what is held.', 'hold_iRV1Uxn0B8EvprLrv0000001'],
  timeline: ['The id of a payment or a payout.', EXAMPLE_PAYMENT],
  requests: ['The id of the request, as in its `Request-Id`.', 'req_iRV1Uxn0B8EvprLrv0000001'],
}

export function wordsOfPathParameter(
  path: string,
  name: string,
): { description?: string | undefined; example?: string | undefined } {
  const noun = new RegExp(`/([a-z-]+)/:${name}(?:/|$)`).exec(path)?.[1] ?? ''
  const [description, example] = PATH_PARAMETERS[name] ?? PATH_PARAMETERS[noun] ?? []
  return { description, example }
}
