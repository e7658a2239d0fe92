import { useState } from 'preact/hooks'
import { CONTROL_PREFIX } from '../../../contract/paths.ts'
import { call } from '../state/api.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import type { ShownCall } from './call-as-code.ts'
import { MadeByHand, TermsFields, useDiscovery, usePlace } from './pay-by-hand.tsx'
import { newKey } from './send-request.tsx'
import { AS_THE_RULES_SAY, bringAbout, OutcomeFields } from './wanted-outcome.tsx'

const RECIPIENT = { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '1234567890' }

interface Made {
  readonly id: string
  readonly shown: ShownCall
}

/** Creates a payout, which the merchant API cannot do. */
export function NewPayout({ account }: { account: string }) {
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<Made>()
  return (
    <>
      <Button tone="primary" icon="plus" onPress={() => setOpen(true)}>
        New payout
      </Button>
      {open && <PayoutForm account={account} onMade={setMade} onClose={() => setOpen(false)} />}
      {made && (
        <MadeByHand
          account={account}
          what="payout"
          {...made}
          // The control surface has a token, which no page knows.
          caller={{ url: window.location.origin, tokenIn: 'PAYSIM_CONTROL_TOKEN' }}
          onClose={() => setMade(undefined)}
        />
      )}
    </>
  )
}

interface PayoutFormProps {
  readonly account: string
  readonly onMade: (made: Made) => void
  readonly onClose: () => void
}

function PayoutForm({ account, onMade, onClose }: PayoutFormProps) {
  const places = usePlace(account)
  const { country, currency } = places
  const [amount, setAmount] = useState('5000')
  const [reference, setReference] = useState(() => `by-hand-${newKey().slice(0, 6)}`)
  const [recipient, setRecipient] = useState(RECIPIENT)
  const [wanted, setWanted] = useState(AS_THE_RULES_SAY)
  const { methods } = useDiscovery(account, { amount, country, currency, mode: 'merchant' })
  const banks = [...new Set(methods.flatMap(({ banks }) => banks.map(({ code }) => code)))]
  const create = async () => {
    const body = { amount, currency, country, merchant_reference: reference, recipient }
    const headers = { 'Idempotency-Key': newKey() }
    const takeBack = await bringAbout(account, 'payout', reference, wanted)
    try {
      const { id } = await call('POST /accounts/:account/payouts', { params: { account }, headers, body })
      const shown: ShownCall = {
        method: 'POST',
        path: `${CONTROL_PREFIX}/accounts/${account}/payouts`,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body, null, 2),
      }
      onMade({ id, shown })
    } catch (error) {
      await takeBack()
      throw error
    }
  }
  const field = (name: keyof typeof RECIPIENT) => ({
    name,
    required: true,
    value: recipient[name],
    onInput: (text: string) => setRecipient({ ...recipient, [name]: text }),
  })
  return (
    <FormDialog title="New payout" action="Create" wide onClose={onClose} onSubmit={create}>
      <div class="form-grid">
        <TermsFields
          amount={amount}
          onAmount={setAmount}
          place={places}
          reference={reference}
          onReference={setReference}
        />
        <Field label="Account holder" {...field('holder_name')} />
        <Field label="Bank code" suggestions={banks} {...field('bank_code')} />
        <Field
          label="Account number"
          hint="Only its last four digits are kept."
          {...field('account_number')}
        />
        <OutcomeFields kind="payout" wanted={wanted} onWanted={setWanted} />
      </div>
    </FormDialog>
  )
}
