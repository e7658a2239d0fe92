import { useState } from 'preact/hooks'
import type { HttpMessage, RequestDetail } from '../../../contract/control/journal.ts'
import { takenByPaysim } from '../../../contract/paths.ts'
import { humanise } from '../format.ts'
import { addressOf, place } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { BodyView, Copyable, CopyButton, ExactTime, HttpStatus } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { NotLoaded, Page } from '../ui/page.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { callerOf, codeOf } from './call-as-code.tsx'
import { RequestList } from './requests.tsx'
import { EditRequest, sendAndShow } from './send-request.tsx'
import { linked, useWhy, WhyPanel } from './why.tsx'

/** A request with its answer, right of the list that it was opened from. */
export function RequestPage({ account, id }: { account: string; id: string }) {
  return (
    <div class="workbench">
      <RequestList account={account} opened={id} />
      <OpenedRequest account={account} id={id} key={id} />
    </div>
  )
}

function OpenedRequest({ account, id }: { account: string; id: string }) {
  const request = useLive('GET /accounts/:account/requests/:id', { params: { account, id } })
  const why = useWhy(account, id)
  const filters = Object.fromEntries(place.value.query)
  const back = { href: addressOf(account, 'requests', null, filters), label: 'Requests' }
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
      // The pages of the payer are opened, not called.
      actions={takenByPaysim(path) === undefined && <Repeats account={account} request={data} />}
    >
      {why.data && <WhyPanel account={account} why={why} />}
      <Panel title="Details">
        <Facts
          facts={[
            ['Reference', data.reference],
            [
              'Fault',
              data.fault && (
                <a key="fault" href={addressOf(account, 'faults')}>
                  {`${data.fault.name ?? humanise(data.fault.type)}${data.fault.carried_out ? ', and the call was carried out' : ', and the call was not carried out'}`}
                </a>
              ),
            ],
            ['Record', recordIn(account, path, data.response?.body)],
            ['Took', `${data.ms} ms of wall time`],
            ['Account time', <ExactTime key="at" at={data.at} />],
            ['Wall time', <ExactTime key="wall" at={data.wall_at} />],
            ['Query', query && <code>{query}</code>],
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

/** What can be done with a call of the merchant API. */
function Repeats({ account, request }: { account: string; request: RequestDetail }) {
  const [editing, setEditing] = useState(false)
  const curl = async () => {
    const { method, path, request: sent } = request
    const text = codeOf(
      'curl',
      { method, path, headers: sent?.headers ?? {}, body: sent?.body ?? null },
      await callerOf(account),
    )
    if (text.includes('…')) toast('A value is masked (…): fill it in before you run the command')
    if (!sent || sent.truncated) toast('The body is not kept, or only its start: the command is not complete')
    return text
  }
  return (
    <>
      <CopyButton bare={false} label="Copy as curl" text={curl} />
      <Button onPress={() => setEditing(true)}>Edit and send</Button>
      <Button tone="primary" icon="play" onPress={() => sendAndShow(account, { of: request.request_id })}>
        Send again
      </Button>
      {editing && <EditRequest account={account} request={request} onClose={() => setEditing(false)} />}
    </>
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
