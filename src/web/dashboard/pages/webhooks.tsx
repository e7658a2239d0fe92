import type { DeliveryRow } from '../../../contract/control/webhooks.ts'
import { humanise } from '../format/words.ts'
import { addressOf } from '../state/router.ts'
import { Badge, HttpStatus, Status } from '../ui/badge.tsx'
import { Empty } from '../ui/empty.tsx'
import type { ListColumn } from '../ui/list-layout.ts'
import { Page } from '../ui/page.tsx'
import { Away, Time } from '../ui/time.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { AddEndpoint, EndpointsPanel } from './endpoints.tsx'
import { ChoiceFilter, ClearFilters, filterQuery, SearchFilter } from './filters.tsx'

const STATUSES = ['pending', 'attempting', 'delivered', 'failed', 'dropped'].map(
  status => [status, humanise(status)] as const,
)
const EVENTS = [
  ...['succeeded', 'failed', 'expired', 'cancelled', 'created', 'updated'].map(end => `payment.${end}`),
  ...['succeeded', 'failed', 'cancelled', 'updated'].map(end => `payout.${end}`),
].map(name => [name, name] as const)
const FILTERS = ['q', 'status', 'event_type', 'endpoint']

const COLUMNS: readonly ListColumn<DeliveryRow>[] = [
  {
    title: 'Event',
    width: 'minmax(150px, 1fr)',
    cell: ({ event_type }) => <code>{event_type ?? 'an event'}</code>,
  },
  { title: 'Status', width: 'minmax(100px, .6fr)', cell: ({ status }) => <Status status={status} /> },
  { title: 'Last response', width: 'minmax(110px, .9fr)', cell: row => <LastAnswer row={row} /> },
  {
    title: 'Attempts',
    width: '92px',
    cell: ({ attempts }) => `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
  },
  {
    title: 'Next',
    width: 'minmax(100px, .5fr)',
    cell: row => row.next_attempt_at && <Away at={row.next_attempt_at} />,
  },
  {
    title: 'To',
    width: 'minmax(170px, 1.6fr)',
    cell: ({ url }) => <span class="path">{url}</span>,
    long: true,
  },
  {
    title: 'Created',
    width: '132px',
    cell: ({ created_at }) => <Time at={created_at} short />,
    align: 'end',
  },
]

function LastAnswer({ row }: { row: DeliveryRow }) {
  if (row.last_error) return <Badge tone="bad">{row.last_error}</Badge>
  return row.last_status === null ? null : <HttpStatus status={row.last_status} />
}

const nameOf = ({ event_type, record, status, last_error, last_status }: DeliveryRow) =>
  [`${event_type ?? 'An event'}${record ? ` of ${record}` : ''}`, humanise(status), last_error ?? last_status]
    .filter(Boolean)
    .join(', ')

export function WebhooksPage({ account }: { account: string }) {
  const query = filterQuery(FILTERS)
  return (
    <Page title="Webhooks" fills actions={<AddEndpoint account={account} />}>
      <EndpointsPanel account={account} />
      <search class="filters">
        <SearchFilter hint="Delivery, event or record ID" />
        <ChoiceFilter name="status" label="Status" all="Any status" options={STATUSES} />
        <ChoiceFilter name="event_type" label="Event" all="Any event" options={EVENTS} />
        <ClearFilters names={FILTERS} />
      </search>
      <VirtualList
        label={{ one: 'delivery', many: 'deliveries' }}
        call="GET /accounts/:account/browse/webhook-deliveries"
        account={account}
        query={query}
        about={['webhooks']}
        columns={COLUMNS}
        hrefOf={({ id }) => addressOf(account, 'webhooks', id)}
        nameOf={nameOf}
        empty={<NoDeliveries isFiltered={query !== ''} />}
      />
    </Page>
  )
}

const NoDeliveries = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No matching deliveries">
      <p>Remove a filter to see the others.</p>
    </Empty>
  ) : (
    <Empty title="No webhook was sent yet">
      <p>
        If there is an endpoint, paysim sends it a signed webhook when a payment or a payout ends, and retries
        for three days.
      </p>
    </Empty>
  )
