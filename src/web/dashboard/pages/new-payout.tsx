import { useState } from 'preact/hooks'
import { call } from '../state/api.ts'
import { addressOf, go } from '../state/router.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'

const FIELDS = [
  ['amount', 'Amount', 'in minor units: 5000 is 50.00 baht'],
  ['currency', 'Currency', undefined],
  ['country', 'Country', undefined],
  ['merchant_reference', 'Reference', undefined],
  ['bank_code', 'Bank code', undefined],
  ['holder_name', 'Account holder', undefined],
  ['account_number', 'Account number', 'only its last four digits are kept'],
] as const
type Name = (typeof FIELDS)[number][0]

const START: Readonly<Record<Name, string>> = {
  amount: '5000',
  currency: 'THB',
  country: 'TH',
  merchant_reference: '',
  bank_code: 'bbl',
  holder_name: '',
  account_number: '',
}

/** Creates a payout, which the merchant API cannot do. */
export function NewPayout({ account }: { account: string }) {
  const [open, setOpen] = useState(false)
  const [values, setValues] = useState(START)
  const create = async () => {
    const { bank_code, holder_name, account_number, ...rest } = values
    const recipient = { bank_code, holder_name, account_number }
    const body = { ...rest, recipient }
    const { id } = await call('POST /accounts/:account/payouts', { params: { account }, body })
    setValues(START)
    go(addressOf(account, 'payouts', id))
  }
  return (
    <>
      <Button tone="primary" icon="plus" onPress={() => setOpen(true)}>
        New payout
      </Button>
      {open && (
        <FormDialog title="New payout" action="Create" onClose={() => setOpen(false)} onSubmit={create}>
          <div class="form-grid">
            {FIELDS.map(([name, label, hint]) => (
              <Field
                key={name}
                label={label}
                required
                value={values[name]}
                onInput={value => setValues({ ...values, [name]: value })}
                {...(hint ? { hint } : {})}
              />
            ))}
          </div>
        </FormDialog>
      )}
    </>
  )
}
