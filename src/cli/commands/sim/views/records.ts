import type {
  AssetRecord,
  DeliveryRecord,
  EndpointRecord,
  EventRecord,
  LoggedRequest,
  ProviderCallRecord,
} from '../../../../client/control-client.ts'
import type { Column } from '../../../output/columns.ts'
import { plain } from '../../../output/members.ts'
import { paintHttpStatus } from '../../../output/status.ts'
import { drawTable } from '../../../output/table.ts'
import type { View } from '../../../output/view.ts'
import { idColumn, memberColumn, statusColumn, timeColumn } from './columns.ts'
import { type Listed, listView } from './list-view.ts'
import { hidden } from './secrets.ts'

const ASSETS: readonly Column[] = [
  idColumn(),
  memberColumn('kind', 'kind'),
  memberColumn('type', 'content_type', { give: 2 }),
  memberColumn('bytes', 'size', { align: 'right' }),
  memberColumn('payment', 'payment', { give: 1, whole: true }),
  timeColumn('stored', 'created_at', { give: 3 }),
  memberColumn('SHA-256', 'digest', { give: 4, least: 12 }),
]

export const assetsView = listView<AssetRecord>('No assets.', ASSETS)

export const assetView: View<AssetRecord> = {
  human: (asset, screen) => drawTable([asset], { columns: ASSETS, empty: '' }, screen),
}

/** Newest first, as it comes. */
export const requestsView = listView<LoggedRequest>(
  'No requests yet.',
  [
    timeColumn('at', 'at', { give: 4 }),
    memberColumn('method', 'method'),
    memberColumn('path', 'path', { give: 3, least: 30 }),
    memberColumn('status', 'status', {
      paint: (shown, row, { paint }) => paintHttpStatus((row as LoggedRequest).status, paint, shown),
    }),
    { header: 'ms', value: row => milliseconds(row as LoggedRequest), align: 'right' },
    memberColumn('request', 'request_id', { give: 5, whole: true }),
    {
      header: 'ignored members',
      value: row => (row as LoggedRequest).ignored.join(', '),
      give: 1,
      least: 12,
      paint: (shown, _, { paint }) => paint.yellow(shown),
    },
  ],
  ['at', 'method', 'path', 'status', 'ms', 'request_id', 'ignored'],
)

const milliseconds = ({ ms }: LoggedRequest) => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)))

export const providerCallsView = listView<ProviderCallRecord>('The provider was asked for nothing yet.', [
  timeColumn('at', 'at'),
  memberColumn('call', 'call', { paint: (shown, _, { paint }) => paint.cyan(shown) }),
  idColumn('payment', 'payment'),
  memberColumn('route', 'route', { give: 1 }),
  memberColumn('image', 'digest', { give: 2, least: 12 }),
])

export const eventsView = listView<EventRecord>(
  'No events yet.',
  [
    timeColumn('at', 'timestamp'),
    memberColumn('type', 'type'),
    memberColumn('about', 'data.id', { paint: (shown, _, { paint }) => paint.bold(shown) }),
    statusColumn('status', 'data.status'),
    memberColumn('reference', 'data.merchant_reference', { give: 2 }),
    memberColumn('event', 'id', { give: 1, whole: true }),
  ],
  ['id', 'type', 'timestamp', 'environment', 'data.id', 'data.status', 'data.merchant_reference'],
)

export const deliveriesView = listView<DeliveryRecord>(
  'No deliveries yet.',
  [
    idColumn(),
    memberColumn('event', 'event_type'),
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
  ['id', 'event', 'event_type', 'endpoint', 'url', 'status', 'created_at', 'next_attempt_at'],
)

export function lastAnswer({ attempts }: Pick<DeliveryRecord, 'attempts'>): string {
  const response = attempts.at(-1)?.response
  return response ? plain(response.status ?? response.error) : ''
}

const endpointColumns = (reveal: boolean): Column[] => [
  idColumn(),
  memberColumn('url', 'url', { give: 1, least: 20 }),
  {
    header: 'events',
    value: row => (row as EndpointRecord).events?.join(', ') ?? 'the seven ends',
    give: 2,
    least: 14,
  },
  {
    header: 'secret',
    value: row => {
      const { secret } = row as EndpointRecord
      return reveal ? secret : hidden(secret)
    },
    give: reveal ? 0 : 3,
  },
  {
    header: 'state',
    value: row => ((row as EndpointRecord).disabled ? 'disabled' : 'active'),
    paint: (shown, row, { paint }) =>
      (row as EndpointRecord).disabled ? paint.red(shown) : paint.green(shown),
  },
]

export const endpointsView = (reveal: boolean): View<Listed<EndpointRecord>> =>
  listView('No webhook endpoints.', endpointColumns(reveal))

export const endpointView = (reveal: boolean): View<EndpointRecord> => ({
  human: (endpoint, screen) => drawTable([endpoint], { columns: endpointColumns(reveal), empty: '' }, screen),
})
