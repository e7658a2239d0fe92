import { useState } from 'preact/hooks'
import type { EventName } from '../../../contract/event-names.ts'
import { call, messageOf } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor, Select } from '../ui/field.tsx'

export const EVENTS = [
  ...['succeeded', 'failed', 'expired', 'cancelled', 'created', 'updated'].map(end => `payment.${end}`),
  ...['succeeded', 'failed', 'cancelled', 'updated'].map(end => `payout.${end}`),
].map(name => [name, name] as const)

interface SendEventProps {
  readonly account: string
  /** An event to send a copy of, and the body that it was sent with. */
  readonly copyOf?: { readonly event: string; readonly body: string }
}

/** Sends a sample event, or a copy of one, with other data if wanted. A sample needs no payment. */
export function SendEvent({ account, copyOf }: SendEventProps) {
  const [open, setOpen] = useState(false)
  const [type, setType] = useState('payment.succeeded')
  const [text, setText] = useState(copyOf ? dataIn(copyOf.body) : SOME_DATA)
  const [problems, setProblems] = useState<readonly string[]>([])
  const send = async () => {
    try {
      const what = copyOf ? { event: copyOf.event } : { type: type as EventName }
      const body = { ...what, data: JSON.parse(text) }
      const sent = await call('POST /accounts/:account/events', { params: { account }, body })
      toast(`${sent.type} sent by hand`)
      setProblems([])
    } catch (error) {
      setProblems([messageOf(error)])
      throw error
    }
  }
  return (
    <>
      <Button onPress={() => setOpen(true)}>{copyOf ? 'Send a copy' : 'Send event'}</Button>
      {open && (
        <FormDialog
          title={copyOf ? 'Send a copy of this event' : 'Send an event by hand'}
          action="Send"
          onClose={() => setOpen(false)}
          onSubmit={send}
          showsProblems
        >
          {!copyOf && <Select label="Event" value={type} options={EVENTS} onChange={setType} />}
          <Editor
            label="Members of its data that replace others, as JSON"
            value={text}
            onInput={setText}
            rows={copyOf ? 16 : 6}
            problems={problems}
          />
          <p class="hint">
            It goes signed to all endpoints that take it, with an id of its own and the normal retries. No
            record changes.
          </p>
        </FormDialog>
      )}
    </>
  )
}

const SOME_DATA = JSON.stringify({ amount: '9900', merchant_reference: 'by-hand-1' }, null, 2)

function dataIn(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body).data, null, 2)
  } catch {
    return '{}'
  }
}
