import type { HttpMessage, RequestDetail } from '../../../contract/control/journal.ts'
import { addressOf } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Copyable, CopyButton, ExactTime, HttpStatus } from '../ui/badge.tsx'
import { BodyView } from '../ui/json-view.tsx'
import { NotLoaded, Page } from '../ui/page.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { linked, useWhy, WhyPanel } from './why.tsx'

export function RequestPage({ account, id }: { account: string; id: string }) {
  const request = useLive('GET /accounts/:account/requests/:id', { params: { account, id } })
  const why = useWhy(account, id)
  const back = { href: addressOf(account, 'requests'), label: 'Requests' }
  if (!request.data) return <NotLoaded title="Request" back={back} of={request} />
  const { data } = request
  const [path = '', query] = data.path.split('?')
  return (
    <Page
      title={`${data.method} ${path}`}
      back={back}
      lead={
        <>
          <HttpStatus status={data.status} />
          <Copyable text={data.request_id} what="the request ID" />
        </>
      }
      actions={<CopyButton bare={false} label="Copy as curl" text={curlOf(data)} />}
    >
      {why.data && <WhyPanel account={account} why={why} />}
      <Panel title="Details">
        <Facts
          facts={[
            ['Took', `${data.ms} ms`],
            ['Account time', <ExactTime key="at" at={data.at} />],
            ['Wall time', <ExactTime key="wall" at={data.wall_at} />],
            ['Query', query && <code>{query}</code>],
            ['Record', recordIn(account, path, data.response?.body)],
            ['Unused members', data.ignored.join(', ')],
          ]}
        />
      </Panel>
      <PageSeen answer={data.response} />
      <div class="two">
        <MessagePanel title="Request" message={data.request} />
        <MessagePanel title="Answer" message={data.response} broken={data.response?.whole === false} />
      </div>
    </Page>
  )
}

/** The record that the path names; otherwise the one that the answer is about, such as a created one. */
function recordIn(account: string, path: string, body: string | null | undefined) {
  const inAnswer = /"id":\s*"(p[io]_[A-Za-z0-9]+)"/.exec(body ?? '')?.[1]
  const id = /\bp[io]_[A-Za-z0-9]+/.exec(path)?.[0] ?? inAnswer
  return id && linked(account, id)
}

/** What would act by itself when a page is drawn again. */
const ACTIVE = 'script, noscript, base, meta[http-equiv], link[rel="modulepreload"], link[rel="preload"]'

function withoutActions(page: string): string {
  const drawn = new DOMParser().parseFromString(page, 'text/html')
  for (const element of drawn.querySelectorAll(ACTIVE)) element.remove()
  return drawn.documentElement.outerHTML
}

/** A page that was sent to the payer, drawn again as it was. In its frame, nothing of it can act. */
function PageSeen({ answer }: { answer: HttpMessage | null }) {
  const isPage = answer?.headers['content-type']?.startsWith('text/html') === true
  if (!isPage || answer.body === null) return null
  return (
    <Panel title="What the payer saw">
      <iframe class="seen" sandbox="" srcdoc={withoutActions(answer.body)} title="What the payer saw" />
    </Panel>
  )
}

function MessagePanel({
  title,
  message,
  broken,
}: {
  title: string
  message: HttpMessage | null
  broken?: boolean
}) {
  return (
    <Panel title={title}>
      {broken && <p class="notice">A fault cut off this response.</p>}
      {message ? (
        <MessageView title={title} message={message} />
      ) : (
        <p class="muted">This request is too old: its headers and body are no longer stored.</p>
      )}
    </Panel>
  )
}

function MessageView({ title, message }: { title: string; message: HttpMessage }) {
  const headers = Object.entries(message.headers)
  return (
    <div class="stack">
      {headers.length > 0 && (
        <Facts facts={headers.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
      )}
      {message.body === null ? (
        <p class="muted">There is no body, or it is not JSON.</p>
      ) : (
        <BodyView label={`${title} body`} text={message.body} />
      )}
      {message.truncated && <p class="muted">The first 16 KiB of {message.size} bytes.</p>}
    </div>
  )
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a curl command. Keys are not stored, so it reads them from the shell. */
function curlOf({ method, path, request }: RequestDetail): string {
  const headers = Object.entries(request?.headers ?? {}).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  )
  const parts = [
    `curl -X ${method} "$API"${quoted(path)}`,
    '-u "$KEYS"',
    ...headers,
    ...(request?.body ? [`-d ${quoted(request.body)}`] : []),
  ]
  return parts.join(' \\\n  ')
}
