import { InvalidArgumentError } from 'commander'
import type { DeliveryRecord } from '../../../client/control-client.ts'
import { DELIVERY_STATES } from '../../../contract/statuses.ts'
import { nounOf, ownCommand, row } from '../../control/row.ts'
import { NotFoundError } from '../../errors/cli-errors.ts'
import { commaSeparated } from '../../flag-values.ts'
import { idColumn, memberColumn, rowView, statusColumn, timeColumn } from '../../output/columns.ts'
import { plain } from '../../output/members.ts'
import { drawRecord, type Field, sections, titleOf } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import type { Column } from '../../output/table.ts'
import { paintStatus, visible } from '../../output/text.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { endpointColumns } from './tables.ts'

const ID = { '<id>': { about: 'id of the endpoint, such as we_123', to: 'params.id' } } as const

export const endpoints = nounOf('sim endpoints', {
  list: row('GET /accounts/:account/webhook-endpoints', {
    summary: 'list webhook endpoints',
    description: 'List the webhook endpoints of an account. Secrets are hidden, except with -o json.',
    flags: { '--reveal': 'show signing secrets' },
    examples: ['paysim sim endpoints', 'paysim sim endpoints list --reveal'],
    show: {
      table: given => ({ empty: 'No webhook endpoints.', columns: endpointColumns(given.reveal === true) }),
    },
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
        takes: { list: true },
        parse: commaSeparated,
      },
      '--reveal': 'show the signing secret',
    },
    examples: [
      'paysim sim endpoints add http://127.0.0.1:4000/hooks --reveal',
      'paysim sim endpoints add http://127.0.0.1:4000/hooks --events payment.succeeded,payment.failed',
    ],
    hides: ['sim', 'endpoints', 'list'],
    show: { view: given => rowView(endpointColumns(given.reveal === true)) },
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
    hides: ['sim', 'endpoints', 'list'],
    show: { view: given => rowView(endpointColumns(given.reveal === true)) },
  }),
  remove: row('DELETE /accounts/:account/webhook-endpoints/:id', {
    summary: 'remove an endpoint',
    description: 'Remove a webhook endpoint. Its pending deliveries are given up.',
    arguments: ID,
    examples: ['paysim sim endpoints remove we_123'],
    show: { done: ({ id }) => `${id} removed` },
  }),
})

const EVENT_COLUMNS: Column[] = [
  timeColumn('at', 'timestamp'),
  memberColumn('type', 'type'),
  memberColumn('about', 'data.id', { paint: (shown, _, { paint }) => paint.bold(shown) }),
  statusColumn('status', 'data.status'),
  memberColumn('reference', 'data.merchant_reference', { give: 2 }),
  memberColumn('event', 'id', { give: 1, whole: true }),
]

export const events = nounOf('sim events', {
  list: row('GET /accounts/:account/events', {
    summary: 'list the events',
    description: 'List the events of an account, oldest first.',
    examples: ['paysim sim events', 'paysim sim events list -o jsonl > events.jsonl'],
    show: {
      table: {
        empty: 'No events yet.',
        columns: EVENT_COLUMNS,
        csv: ['id', 'type', 'timestamp', 'environment', 'data.id', 'data.status', 'data.merchant_reference'],
      },
    },
  }),
  send: row('POST /accounts/:account/events', {
    summary: 'send an event by hand',
    description:
      'Send a sample event of a type, or a copy of another event, to all endpoints that take it: signed, with a new id and the normal retries. It changes no record.',
    arguments: { '[type]': { about: 'what it reports, such as payment.succeeded', to: 'body.type' } },
    flags: {
      '--event <id>': { about: 'copy this event, such as evt_123, instead', to: 'body.event' },
      '--data <json>': {
        about: 'members of its data that replace others, as a JSON object',
        to: 'body.data',
        takes: { body: true },
        parse: jsonObject,
      },
    },
    examples: [
      'paysim sim events send payment.succeeded',
      `paysim sim events send payment.failed --data '{"merchant_reference": "order-7"}'`,
      `paysim sim events send --event evt_123 --data '{"amount": "1"}'`,
    ],
    show: { view: rowView(EVENT_COLUMNS) },
  }),
})

function jsonObject(text: string): unknown {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch {
    // The message is the same.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"amount": "100"}.')
}

const deliveryView: View<DeliveryRecord> = {
  human: (delivery, screen) =>
    sections(
      `${titleOf(delivery, screen)}\n${drawRecord(
        [
          { label: 'event', value: `${delivery.event_type ?? 'gone'} ${delivery.event}` },
          {
            label: 'about',
            value: [delivery.record, delivery.reference].filter(text => text !== null).join(' '),
          },
          { label: 'to', value: delivery.url, whole: true },
          { label: 'endpoint', value: delivery.endpoint },
          timeOf('queued', delivery.created_at, screen),
          timeOf('next attempt', delivery.next_attempt_at, screen),
        ],
        screen,
      )}`,
      ...delivery.attempts.map(attempt => attemptText(attempt, screen)),
    ),
}

export const deliveries = nounOf('sim deliveries', {
  list: row('GET /accounts/:account/webhook-deliveries', {
    summary: 'list deliveries',
    description: 'List the deliveries of events to webhook endpoints, oldest first.',
    flags: {
      '--created-after <time>': {
        about: 'only those from this time on, such as 2027-01-31T09:00:00Z',
        to: 'query.created_after',
      },
      '--created-before <time>': { about: 'only those from before this time', to: 'query.created_before' },
      '--payment <id>': { about: 'only those about this payment or payout', to: 'query.payment' },
      '--reference <text>': {
        about: 'only those about a payment or payout with this reference',
        to: 'query.reference',
      },
      '--status <status>': {
        about: 'only those with this status; failing: its last attempt failed, and another one follows',
        choices: DELIVERY_STATES,
        to: 'query.status',
      },
      '--endpoint <id>': { about: 'only those to this endpoint', to: 'query.endpoint' },
    },
    examples: [
      'paysim sim deliveries',
      'paysim sim deliveries list --reference order-1001',
      'paysim sim deliveries list --status failing',
      'paysim sim deliveries list --created-after 2027-01-31T09:00:00Z',
      'paysim sim deliveries list -o jsonl | grep failed',
    ],
    show: {
      table: {
        empty: 'No deliveries yet.',
        columns: [
          idColumn(),
          memberColumn('event', 'event_type'),
          memberColumn('reference', 'reference', { give: 5 }),
          memberColumn('about', 'record', { give: 6 }),
          statusColumn('status', 'status'),
          {
            header: 'attempts',
            value: row => String((row as DeliveryRecord).attempts.length),
            align: 'right',
            give: 3,
          },
          { header: 'last answer', value: row => lastAnswer(row as DeliveryRecord), give: 1, least: 12 },
          timeColumn('next attempt', 'next_attempt_at', { give: 2 }),
          memberColumn('to', 'url', { give: 4, least: 16 }),
        ],
        csv: [
          'id',
          'event',
          'event_type',
          'endpoint',
          'url',
          'status',
          'created_at',
          'next_attempt_at',
          'record',
          'reference',
        ],
      },
    },
  }),
  show: {
    summary: 'show a delivery with every attempt',
    command: ownCommand('sim deliveries show', {
      description: 'Show a delivery with every attempt: the request and the answer.',
      arguments: { '<id>': 'id of the delivery, or of its event' },
      examples: [
        'paysim sim deliveries show dlv_123',
        'paysim sim deliveries show dlv_123 --query "attempts[-1].request.body"',
      ],
      headers: false,
      async run({ account, printer }, { id }: { readonly id: string }) {
        const all = await account.deliveries()
        const body = all.find(delivery => delivery.id === id) ?? all.findLast(({ event }) => event === id)
        if (!body)
          throw new NotFoundError(`${account.id} has no delivery ${id}: \`paysim sim deliveries\` lists them`)
        await printer.show({ body }, deliveryView)
      },
    }),
  },
  redeliver: row('POST /accounts/:account/webhook-deliveries/:id/redeliver', {
    summary: 'attempt a delivery now',
    description:
      'Attempt a delivery now. Success ends its retries; after a failure, the remaining retries follow.',
    arguments: { '<id>': { about: 'id of the delivery', to: 'params.id' } },
    examples: ['paysim sim deliveries redeliver dlv_123'],
    show: { view: deliveryView },
  }),
})

function lastAnswer({ attempts }: Pick<DeliveryRecord, 'attempts'>): string {
  const response = attempts.at(-1)?.response
  return response ? plain(response.status ?? response.error) : ''
}

function attemptText(attempt: DeliveryRecord['attempts'][number], screen: Screen): string {
  const { number, request, response, started_at: startedAt } = attempt
  const { paint } = screen
  const outcome = response ? lastAnswer({ attempts: [attempt] }) : 'in progress'
  const delivered = response?.status !== null && response !== null && response.status < 300
  const status = paintStatus(
    response ? (delivered ? 'succeeded' : 'failed') : 'processing',
    paint,
    visible(outcome),
  )
  const fields: Field[] = [
    timeOf('sent', startedAt, screen),
    ...Object.entries(request?.headers ?? {}).map(([label, value]) => ({ label, value, whole: true })),
    { label: 'body', value: request?.body, whole: true },
    { label: 'answer', value: response?.body === '' ? undefined : response?.body },
  ]
  return `${paint.bold(`attempt ${number}`)}  ${status}\n${drawRecord(fields, screen)}`
}

/** Without "3 minutes ago", since the account's time may be far from wall time. */
const timeOf = (label: string, at: string | null, screen: Screen): Field => ({
  label,
  value: at === null ? undefined : showTime(at, screen).value,
})
