import { useState } from 'preact/hooks'
import { CONTROL_PREFIX } from '../../../contract/paths.ts'
import { call } from '../state/api.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { type FormProps, NewByHand, useDiscovery, useTerms } from './pay-by-hand.tsx'
import { newKey } from './send-request.tsx'

const RECIPIENT = { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' }

/** Creates a payout, which the merchant API cannot do. */
export const NewPayout = ({ account }: { account: string }) => (
  <NewByHand
    account={account}
    what="payout"
    // The control surface has a token, which no page knows.
    caller={{ url: window.location.origin, tokenIn: 'PAYSIM_CONTROL_TOKEN' }}
    form={(onMade, onClose) => <PayoutForm account={account} onMade={onMade} onClose={onClose} />}
  />
)

function PayoutForm({ account, onMade, onClose }: FormProps) {
  const { terms, create, fields, outcome } = useTerms(account, 'payout', '5000')
  const [recipient, setRecipient] = useState(RECIPIENT)
  const { methods } = useDiscovery(account, { ...terms, mode: 'merchant' })
  const banks = [...new Set(methods.flatMap(({ banks }) => banks.map(({ code }) => code)))]
  const submit = () =>
    create(async () => {
      const body = { ...terms, recipient }
      const headers = { 'Idempotency-Key': newKey() }
      const { id } = await call('POST /accounts/:account/payouts', { params: { account }, headers, body })
      const shown = {
        method: 'POST',
        path: `${CONTROL_PREFIX}/accounts/${account}/payouts`,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body, null, 2),
      }
      onMade({ id, shown })
    })
  const field = (name: keyof typeof RECIPIENT) => ({
    name,
    required: true,
    value: recipient[name],
    onInput: (text: string) => setRecipient({ ...recipient, [name]: text }),
  })
  return (
    <FormDialog title="New payout" action="Create" wide onClose={onClose} onSubmit={submit}>
      <div class="form-grid">
        {fields}
        <Field label="Account holder" {...field('holder_name')} />
        <Field label="Bank code" suggestions={banks} {...field('bank_code')} />
        <Field
          label="Account number"
          hint="Only its last four digits are kept."
          {...field('account_number')}
        />
        {outcome}
      </div>
    </FormDialog>
  )
}
