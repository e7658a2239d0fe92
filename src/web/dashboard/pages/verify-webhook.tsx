import { useState } from 'preact/hooks'
import type { EndpointRecord, WebhookVerdict } from '../../../contract/control/webhooks.ts'
import { humanise } from '../format.ts'
import { call } from '../state/api.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor, Select } from '../ui/field.tsx'
import { Facts } from '../ui/panel.tsx'

interface VerifyProps {
  readonly account: string
  readonly endpoints: readonly EndpointRecord[]
}

/** Checks a webhook that somebody received and pasted. The server knows the secret. */
export function VerifyWebhook({ account, endpoints }: VerifyProps) {
  const [open, setOpen] = useState(false)
  const [chosen, setChosen] = useState('')
  const [headers, setHeaders] = useState('')
  const [body, setBody] = useState('')
  const [verdict, setVerdict] = useState<WebhookVerdict | null>(null)
  const id = endpoints.find(endpoint => endpoint.id === chosen)?.id ?? endpoints[0]?.id
  const verify = async () => {
    setVerdict(null)
    if (id === undefined) return
    const webhook = { headers, ...(body === '' ? {} : { body }) }
    const input = { params: { account, id }, body: webhook }
    setVerdict(await call('POST /accounts/:account/webhook-endpoints/:id/verify', input))
  }
  return (
    <>
      <Button disabled={id === undefined} onPress={() => setOpen(true)}>
        Verify a signature
      </Button>
      {open && (
        <FormDialog
          title="Verify a signature"
          action="Verify"
          wide
          staysOpen
          onClose={() => setOpen(false)}
          onSubmit={verify}
        >
          <Select
            label="Endpoint"
            value={id ?? ''}
            options={endpoints.map(endpoint => [endpoint.id, endpoint.url] as const)}
            onChange={setChosen}
          />
          <Editor
            label="What your server received: its headers, as lines or JSON"
            name="headers"
            value={headers}
            onInput={setHeaders}
            rows={7}
          />
          <Editor
            label="The body, if it is not above, after an empty line"
            name="body"
            value={body}
            onInput={setBody}
            rows={7}
          />
          {verdict && <Verdict verdict={verdict} />}
        </FormDialog>
      )}
    </>
  )
}

const Verdict = ({ verdict: { valid, id, checks } }: { verdict: WebhookVerdict }) => (
  <div class="verdict" role="status">
    <p>
      <Badge tone={valid ? 'good' : 'bad'}>{valid ? 'Valid' : 'Not valid'}</Badge> {id && <code>{id}</code>}
    </p>
    <Facts
      facts={checks.map(({ check, means, fault }) => [
        humanise(check),
        fault === null ? means : <span class="problem">{fault}</span>,
      ])}
    />
  </div>
)
