import { useState } from 'preact/hooks'
import type { RequestDetail, SentRequest } from '../../../contract/control/journal.ts'
import { type RequestToSend, SENT_METHODS } from '../../../contract/control/requests.ts'
import { laidOut } from '../../../contract/json.ts'
import { call } from '../state/api.ts'
import { addressOf, go, place } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor, Field, Select } from '../ui/field.tsx'

/** Requests by hand. The server sends them, to its own merchant API, with the keys of the account. */

export const sendRequest = (account: string, body: RequestToSend): Promise<SentRequest> =>
  call('POST /accounts/:account/requests', { params: { account }, body })

/** Sends it, and opens it in the log. */
export async function sendAndShow(account: string, wanted: RequestToSend): Promise<void> {
  const { request_id, status } = await sendRequest(account, wanted)
  toast(
    status === null ? 'Sent, and the connection ended without an answer' : `Sent; the answer is ${status}`,
  )
  go(addressOf(account, 'requests', request_id, Object.fromEntries(place.value.query)))
}

/** Two requests with the same key are one for the server. `crypto.randomUUID` is not there over plain HTTP. */
export const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(8))].map(byte => byte.toString(16).padStart(2, '0')).join('')

interface EditProps {
  readonly account: string
  /** The one to change; without it, a new one. */
  readonly request?: RequestDetail
  readonly onClose: () => void
}

const NEW = {
  method: 'GET',
  path: '/payout_intents',
  headers: { 'content-type': 'application/json' },
}

export function EditRequest({ account, request, onClose }: EditProps) {
  const shown = request?.request?.body ?? ''
  const [method, setMethod] = useState(request?.method ?? NEW.method)
  const [path, setPath] = useState(request?.path ?? NEW.path)
  const given: Readonly<Record<string, string>> = request?.request?.headers ?? NEW.headers
  const { 'idempotency-key': firstKey = '', ...others } = given
  const [headers, setHeaders] = useState(
    Object.entries(others)
      .map(pair => pair.join(': '))
      .join('\n'),
  )
  const [key, setKey] = useState(firstKey)
  const [body, setBody] = useState(laidOut(shown))
  const send = () =>
    sendAndShow(account, {
      ...(request ? { of: request.request_id } : {}),
      method: method as (typeof SENT_METHODS)[number],
      path,
      headers: { ...headersIn(headers), ...(key === '' ? {} : { 'idempotency-key': key }) },
      // What is not changed is sent byte for byte.
      ...(request && body === laidOut(shown) && !request.request?.truncated ? {} : { body }),
    })
  const isKept = shown.includes('…') && request !== undefined
  return (
    <FormDialog
      title={request ? 'Edit and send' : 'Send a request'}
      action="Send"
      wide
      onClose={onClose}
      onSubmit={send}
    >
      <div class="call-line">
        <Select
          label="HTTP method"
          value={method}
          options={SENT_METHODS.map(name => [name, name] as const)}
          onChange={setMethod}
        />
        <Field label="Path" value={path} onInput={setPath} required />
      </div>
      <Editor label="Headers, one a line" value={headers} onInput={setHeaders} rows={3} />
      <div class="call-line key">
        <Field
          label="Idempotency-Key (optional)"
          value={key}
          onInput={setKey}
          hint="The same key with the same body gets the first answer again."
        />
        <Button onPress={() => setKey(newKey())}>New key</Button>
      </div>
      <Editor label="Body" value={body} onInput={setBody} rows={12} />
      <p class="hint">
        It goes to the merchant API of this server with the keys of this account, and the faults that are set
        happen to it.{isKept ? ' A masked value (…) that you leave as it is stands for what it masks.' : ''}
      </p>
    </FormDialog>
  )
}

function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  return Object.fromEntries(
    lines.map(line => {
      const [name = '', ...value] = line.split(':')
      return [name.trim(), value.join(':').trim()]
    }),
  )
}
