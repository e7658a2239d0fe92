import type { EndpointRecord } from '../../../client/control-client.ts'
import { type Given, nounOf, row } from '../../control/row.ts'
import { commaSeparated } from '../../flag-values.ts'
import type { Column } from '../../output/columns.ts'
import { idColumn, memberColumn, rowView, secretText } from './tables.ts'

const ID = { '<id>': { about: 'id of the endpoint, such as we_123', to: 'params.id' } } as const

export const endpoints = nounOf('sim endpoints', {
  list: row('GET /accounts/:account/webhook-endpoints', {
    summary: 'list webhook endpoints',
    description: 'List the webhook endpoints of an account. Secrets are hidden, except with -o json.',
    flags: { '--reveal': 'show signing secrets' },
    examples: ['paysim sim endpoints', 'paysim sim endpoints list --reveal'],
    show: { table: given => ({ empty: 'No webhook endpoints.', columns: columns(given) }) },
  }),
  add: row('POST /accounts/:account/webhook-endpoints', {
    summary: 'send events to a URL',
    description: 'Register a webhook endpoint for an account.',
    arguments: {
      '<url>': {
        about: 'URL on this machine, or on a host that `serve --allow-webhooks` allows',
        to: 'body.url',
      },
    },
    flags: {
      '--events <names>': {
        about:
          'events to send, separated by commas, or * for all (default: final events, such as payment.succeeded)',
        to: 'body.events',
        parse: commaSeparated,
      },
      '--reveal': 'show the signing secret',
    },
    examples: [
      'paysim sim endpoints add http://127.0.0.1:4000/hooks --reveal',
      'paysim sim endpoints add http://127.0.0.1:4000/hooks --events payment.succeeded,payment.failed',
    ],
    show: { view: given => rowView(columns(given)) },
  }),
  rotate: row('POST /accounts/:account/webhook-endpoints/:id/rotate-secret', {
    summary: 'give an endpoint a new secret',
    description: 'Give a webhook endpoint a new secret. Events are signed with both until the overlap ends.',
    arguments: ID,
    flags: {
      '--overlap <duration>': {
        about: 'how long to sign with the old secret too (default: 24h)',
        to: 'body.overlap',
      },
      '--reveal': 'show the signing secret',
    },
    examples: [
      'paysim sim endpoints rotate we_123 --reveal',
      'paysim sim endpoints rotate we_123 --overlap 1h',
    ],
    show: { view: given => rowView(columns(given)) },
  }),
  remove: row('DELETE /accounts/:account/webhook-endpoints/:id', {
    summary: 'remove an endpoint',
    description: 'Remove a webhook endpoint. Its pending deliveries are given up.',
    arguments: ID,
    examples: ['paysim sim endpoints remove we_123'],
    show: { done: ({ id }) => `${id} removed` },
  }),
})

const columns = ({ reveal }: Given): Column[] => [
  idColumn(),
  memberColumn('url', 'url', { give: 1, least: 20 }),
  {
    header: 'events',
    value: row => (row as EndpointRecord).events?.join(', ') ?? 'final events',
    give: 2,
    least: 14,
  },
  {
    header: 'secret',
    value: row => secretText((row as EndpointRecord).secret, reveal === true),
    give: reveal ? 0 : 3,
  },
  {
    header: 'state',
    value: row => ((row as EndpointRecord).disabled ? 'disabled' : 'active'),
    paint: (shown, row, { paint }) =>
      (row as EndpointRecord).disabled ? paint.red(shown) : paint.green(shown),
  },
]
