import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LoggedRequest } from '../../../contract/control/journal.ts'
import { countText, humanise } from '../format.ts'
import { addressOf, keep, kept, place } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Badge, HttpStatus, Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { type Column, Empty, Table } from '../ui/panel.tsx'
import { FirstPayment } from './call-as-code.tsx'
import { ExportList } from './export-list.tsx'
import { ChoiceFilter, ClearFilters, SearchFilter } from './filters.tsx'
import { EditRequest } from './send-request.tsx'

/** The times are those of a bar of the overview. */
const FILTERS = ['q', 'method', 'status', 'after', 'before']
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(method => [method, method] as const)
const STATUSES = [
  ['2', '2xx and 3xx'],
  ['4', '4xx, refused'],
  ['5', '5xx, failed'],
] as const

/** The latest calls of the merchant and of payers, since the server started. */
export function RequestsPage({ account }: { account: string }) {
  const [writing, setWriting] = useState(false)
  return (
    <Page
      title="Requests"
      lead={<span class="muted">Recent requests of the merchant and the payer, newest first</span>}
      actions={
        <Button icon="plus" onPress={() => setWriting(true)}>
          New request
        </Button>
      }
    >
      <RequestList account={account} />
      {writing && <EditRequest account={account} onClose={() => setWriting(false)} />}
    </Page>
  )
}

/** With the filters. Beside an opened request it is narrow, and not there on a small screen. */
export function RequestList({ account, opened }: { account: string; opened?: string }) {
  const requests = useLive(
    'GET /accounts/:account/requests',
    { params: { account }, query: { q: place.value.query.get('q') ?? undefined } },
    { about: ['requests'] },
  )
  return (
    <div class={`request-list${opened === undefined ? '' : ' beside'}`}>
      <search class="filters">
        <SearchFilter hint="Path, ID, reference or body" />
        <ChoiceFilter name="method" label="HTTP method" all="Any method" options={METHODS} />
        <ChoiceFilter name="status" label="Answer" all="Any status" options={STATUSES} />
        <ClearFilters names={FILTERS} />
        {opened === undefined && (
          <ExportList
            name="requests"
            read={async () => (requests.data?.data ?? []).filter(isWanted).map(exported)}
          />
        )}
      </search>
      <Ready of={requests}>
        {({ data }) => <RequestTable rows={data} account={account} opened={opened} />}
      </Ready>
    </div>
  )
}

interface RowsProps {
  readonly rows: readonly LoggedRequest[]
  readonly account: string
  readonly opened: string | undefined
}

function RequestTable({ rows, account, opened }: RowsProps) {
  const shown = rows.filter(isWanted)
  const isSearched = place.value.query.has('q')
  if (rows.length === 0 && !isSearched)
    return (
      <Empty title="No requests yet">
        <p>Call the merchant API with the keys of this account:</p>
        <FirstPayment account={account} />
      </Empty>
    )
  if (shown.length === 0)
    return (
      <Empty title="No matching requests">
        <p>Remove a filter to see the others in the log.</p>
      </Empty>
    )
  return <RequestRows rows={shown} account={account} opened={opened} />
}

/** Show no more than this: nobody reads a longer list, and on a phone the page would be too long. */
const ROWS_AT_ONCE = 50

/** Stored in the browser's history when a request is opened, so that Back returns to it. */
interface SavedPlace {
  readonly of: string
  readonly rows: number
  readonly top: number
  readonly href: string
}

function RequestRows({ rows, account, opened }: RowsProps) {
  const box = useRef<HTMLDivElement>(null)
  const of = place.value.query.toString()
  const [left] = useState(() => {
    const was = opened === undefined ? (kept('requests') as SavedPlace | undefined) : undefined
    return was?.of === of ? was : undefined
  })
  const [most, setMost] = useState(left?.rows ?? ROWS_AT_ONCE)
  useLayoutEffect(() => {
    if (!left) return
    window.scrollTo(0, left.top)
    const links = box.current?.querySelectorAll<HTMLAnchorElement>('a.path') ?? []
    ;[...links].find(link => link.getAttribute('href') === left.href)?.focus({ preventScroll: true })
  }, [])
  const note = ({ target }: Event) => {
    const href = target instanceof Element && target.closest('a.path')?.getAttribute('href')
    if (href && opened === undefined)
      keep('requests', { of, rows: most, top: window.scrollY, href } satisfies SavedPlace)
  }
  const older = rows.length - most
  return (
    <div ref={box} onClickCapture={note} class="request-rows">
      <Table
        caption="Requests"
        rows={rows.slice(0, most)}
        keyOf={({ request_id }) => request_id}
        columns={columnsFor(account, opened)}
        rowProps={({ request_id }) => (request_id === opened ? { class: 'opened' } : {})}
      />
      {older > 0 && (
        <Button onPress={() => setMost(most + ROWS_AT_ONCE)}>
          {`Show ${Math.min(older, ROWS_AT_ONCE)} older of ${countText(older)}`}
        </Button>
      )}
    </div>
  )
}

/** A row for a file: each value by its own name. */
const exported = ({ error, fault, ignored, ...row }: LoggedRequest) => ({
  ...row,
  error_code: error?.code ?? null,
  error_message: error?.message ?? null,
  fault: fault?.type ?? null,
  ignored: ignored.join(' '),
})

function isWanted({ method, status, wall_at }: LoggedRequest): boolean {
  const { query } = place.value
  const [, wantedMethod, kind, after, before] = FILTERS.map(name => query.get(name))
  const family = status < 400 ? '2' : status < 500 ? '4' : '5'
  return (
    (!wantedMethod || method === wantedMethod) &&
    (!kind || kind === family) &&
    (!after || wall_at >= after) &&
    (!before || wall_at < before)
  )
}

const columnsFor = (account: string, opened: string | undefined): readonly Column<LoggedRequest>[] => [
  { title: 'Status', cell: ({ status }) => <HttpStatus status={status} /> },
  {
    title: 'Call',
    cell: ({ path, request_id, method, status }) => (
      <a
        class="path"
        href={addressOf(account, 'requests', request_id, Object.fromEntries(place.value.query))}
        aria-label={`${method} ${path.split('?')[0]}, ${status}`}
        aria-current={request_id === opened ? 'true' : undefined}
      >
        <code>{method}</code> {path.split('?')[0]}
      </a>
    ),
  },
  {
    title: 'Reference',
    cell: ({ reference }) => (reference ? <span class="reference">{reference}</span> : ''),
  },
  {
    title: 'Error',
    cell: ({ error }) =>
      error ? (
        <span class="stacked">
          <code>{error.code}</code>
          <span class="muted message">{error.message}</span>
        </span>
      ) : (
        ''
      ),
  },
  { title: 'Fault', cell: ({ fault }) => (fault ? <FaultBadge name={faultText(fault)} /> : '') },
  { title: 'Wall time', cell: ({ wall_at }) => <Time at={wall_at} short />, align: 'end' },
]

/** A name that somebody gave may be long. */
const FaultBadge = ({ name }: { name: string }) => (
  <span class="cut" title={name}>
    <Badge tone="warn">{name}</Badge>
  </span>
)

const faultText = ({ type, name }: NonNullable<LoggedRequest['fault']>) =>
  name ?? humanise(type).toLowerCase()
