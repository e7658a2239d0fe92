import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SentRequest } from '../../../contract/control/journal.ts'
import type { PaymentRecord } from '../../../contract/control/payments.ts'
import type { PayerField, PaymentMethodOptions } from '../../../contract/resources.ts'
import { FINAL_STATUSES } from '../../../contract/statuses.ts'
import { humanise, moneyText } from '../format.ts'
import { ApiError, call, messageOf, readError, upload } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive, useTypedAnswer } from '../state/use-live.ts'
import { Copyable, CopyButton } from '../ui/badge.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { Dialog, FormDialog } from '../ui/dialog.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Scrollable } from '../ui/panel.tsx'
import { type Caller, callerOf, codeOf, LANGUAGES, type Language, type ShownCall } from './call-as-code.tsx'
import { newKey, sendRequest } from './send-request.tsx'
import { AS_THE_RULES_SAY, OutcomeFields, withOutcome } from './wanted-outcome.tsx'

/** Payments by hand: created as the merchant's program does, chosen and paid as the payer does. */

type Method = Pick<PaymentMethodOptions['methods'][number], 'code' | 'label'> & {
  readonly banks: readonly { readonly code: string; readonly label: string }[]
  /** What the payer must give besides the bank. */
  readonly asks: readonly PayerField[]
}

interface Asked {
  readonly amount: string
  readonly country: string
  readonly currency: string
  readonly mode: string
}

interface Discovered {
  readonly methods: readonly Method[]
  readonly problem?: string
}

/** The methods that the merchant's program would be offered for this: it asks as that program does. */
export function useDiscovery(account: string, { amount, country, currency, mode }: Asked): Discovered {
  const [found, setFound] = useState<Discovered>({ methods: [] })
  // While something is wrong, such as half an amount, what was offered and chosen before stays.
  const refuse = (problem: string) => setFound(({ methods }) => ({ methods, problem }))
  const query = new URLSearchParams({ amount, country, currency, checkout_mode: mode })
  useTypedAnswer(
    [account, amount, country, currency, mode],
    () => sendRequest(account, { method: 'GET', path: `/payment_methods/options?${query}` }),
    ({ status, body }) =>
      status === 200 ? setFound({ methods: methodsIn(body ?? '') }) : refuse(refusalIn(body)),
    error => refuse(messageOf(error)),
  )
  return found
}

/** Of its options, the contract may leave out what is empty. */
const methodsIn = (body: string): Method[] =>
  (JSON.parse(body) as PaymentMethodOptions).methods.map(({ code, label, options }) => ({
    code,
    label,
    banks: options.banks ?? [],
    asks: Object.entries(options.payer ?? {}).flatMap(([name, flag]) =>
      flag?.required && name !== 'bank' ? [name as PayerField] : [],
    ),
  }))

const NO_METHOD = 'No method is available for this.'
const NO_ANSWER = 'The connection ended without an answer that can be read'

function refusalIn(body: string | null): string {
  const { message, details } = readError(body ?? '')
  return details.map(({ field, message }) => `${field} ${message}`).join('; ') || message || NO_ANSWER
}

/** The same for a form, which shows the problems at its fields. */
function refusalOf({ status, body }: SentRequest): ApiError {
  const { message = NO_ANSWER, details } = readError(body ?? '')
  return new ApiError(
    message,
    status ?? 0,
    details.map(({ field, message }) => ({ field: field.replace('customer.', 'customer_'), message })),
  )
}

interface Choice {
  readonly method: string
  readonly bank: string
  readonly given: Readonly<Record<string, string>>
}
const NOTHING_CHOSEN: Choice = { method: '', bank: '', given: {} }

/** What is sent of a choice. A bank of another method may have been chosen before. */
function chosen({ method, bank, given }: Choice, { methods }: Discovered) {
  const of = methods.find(({ code }) => code === method) ?? methods[0]
  if (!of) return undefined
  const [first] = of.banks
  const its = of.banks.some(({ code }) => code === bank) ? bank : first?.code
  const asked = Object.fromEntries(of.asks.map(name => [name, given[name] ?? '']))
  return { method: of.code, ...(its === undefined ? {} : { bank: its }), ...asked }
}

interface MethodFieldsProps {
  readonly discovered: Discovered
  readonly choice: Choice
  readonly onChoice: (choice: Choice) => void
}

function MethodFields({ discovered, choice, onChoice }: MethodFieldsProps) {
  const now = chosen(choice, discovered)
  const of = discovered.methods.find(({ code }) => code === now?.method)
  if (!of) return <p class="hint">{discovered.problem ?? NO_METHOD}</p>
  return (
    <div class="form-grid">
      <Select
        label="Method"
        name="payment_method"
        value={of.code}
        options={discovered.methods.map(({ code, label }) => [code, label] as const)}
        onChange={method => onChoice({ ...choice, method })}
      />
      {of.banks.length > 0 && (
        <Select
          label="Bank"
          name="bank"
          value={now?.bank ?? ''}
          options={of.banks.map(({ code, label }) => [code, label] as const)}
          onChange={bank => onChoice({ ...choice, bank })}
        />
      )}
      {of.asks.map(name => (
        <Field
          key={name}
          name={name}
          label={humanise(name)}
          required
          value={choice.given[name] ?? ''}
          onInput={text => onChoice({ ...choice, given: { ...choice.given, [name]: text } })}
        />
      ))}
    </div>
  )
}

const MODES = [
  ['hosted', 'Hosted: the payer chooses'],
  ['merchant', 'Merchant: with a method'],
] as const

export const NewPayment = ({ account }: { account: string }) => (
  <NewByHand
    account={account}
    what="payment"
    form={(onMade, onClose) => <PaymentForm account={account} onMade={onMade} onClose={onClose} />}
  />
)

/** What was created, and the call that did it. */
interface Made {
  readonly id: string
  readonly link?: string | undefined
  readonly shown: ShownCall
}

interface NewByHandProps {
  readonly account: string
  readonly what: 'payment' | 'payout'
  /** Without it, the merchant with its keys. */
  readonly caller?: Caller
  readonly form: (onMade: (made: Made) => void, onClose: () => void) => ComponentChildren
}

/** A button that opens a form, and then shows what it created. */
export function NewByHand({ form, ...made }: NewByHandProps) {
  const [open, setOpen] = useState(false)
  const [shown, setShown] = useState<Made>()
  return (
    <>
      <Button tone="primary" icon="plus" onPress={() => setOpen(true)}>
        New {made.what}
      </Button>
      {open && form(setShown, () => setOpen(false))}
      {shown && <MadeByHand {...made} {...shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

export interface FormProps {
  readonly account: string
  readonly onMade: (made: Made) => void
  readonly onClose: () => void
}

/** What a payment and a payout both need, and what shall become of them. */
export function useTerms(account: string, kind: 'payment' | 'payout', start: string) {
  const catalogue = useLive('GET /accounts/:account/catalogue', { params: { account } })
  const [place, setPlace] = useState('')
  const [amount, setAmount] = useState(start)
  const [merchant_reference, setReference] = useState(() => `by-hand-${newKey().slice(0, 6)}`)
  const [wanted, setWanted] = useState(AS_THE_RULES_SAY)
  // A country with its currency, of those that the catalogue has.
  const routes = catalogue.data?.routes.map(({ country, currency }) => `${country} ${currency}`) ?? ['TH THB']
  const places = [...new Set(routes)]
  const chosenPlace = places.includes(place) ? place : (places[0] ?? '')
  const [country = '', currency = ''] = chosenPlace.split(' ')
  return {
    terms: { amount, currency, country, merchant_reference },
    /** Creates it with the rule that brings about what is wanted. */
    create: <T,>(make: () => Promise<T>) => withOutcome(account, kind, merchant_reference, wanted, make),
    fields: (
      <>
        <Field
          label="Amount"
          name="amount"
          required
          value={amount}
          onInput={setAmount}
          hint={/^\d+$/.test(amount) ? `${moneyText(amount, currency)} ${currency}` : 'in minor units'}
        />
        <Select
          label="Country and currency"
          name="country"
          value={chosenPlace}
          options={places.map(name => [name, name] as const)}
          onChange={setPlace}
        />
        <Field
          label="Reference"
          name="merchant_reference"
          required
          value={merchant_reference}
          onInput={setReference}
        />
      </>
    ),
    outcome: <OutcomeFields kind={kind} wanted={wanted} onWanted={setWanted} />,
  }
}

function PaymentForm({ account, onMade, onClose }: FormProps) {
  const { terms, create, fields, outcome } = useTerms(account, 'payment', '25000')
  const [mode, setMode] = useState<string>('hosted')
  const [choice, setChoice] = useState(NOTHING_CHOSEN)
  const discovered = useDiscovery(account, { ...terms, mode })
  const submit = async () => {
    const { 'create.path': path } = await call('GET /contract')
    const chosenMethod = mode === 'merchant' ? chosen(choice, discovered) : undefined
    const shown = {
      method: 'POST',
      path: path?.value ?? '/payment_intents',
      headers: { 'content-type': 'application/json', 'idempotency-key': newKey() },
      body: JSON.stringify({ ...terms, checkout_mode: mode, ...payerOf(chosenMethod) }, null, 2),
    } as const
    await create(async () => {
      const answer = await sendRequest(account, shown)
      if (answer.status !== 201) throw refusalOf(answer)
      const { id, next_action } = JSON.parse(answer.body ?? '')
      onMade({ id, link: next_action?.url, shown })
    })
  }
  return (
    <FormDialog title="New payment" action="Create" wide onClose={onClose} onSubmit={submit}>
      <div class="form-grid">
        {fields}
        <Select label="Checkout mode" name="checkout_mode" value={mode} options={MODES} onChange={setMode} />
        {outcome}
      </div>
      {mode === 'merchant' && <MethodFields discovered={discovered} choice={choice} onChoice={setChoice} />}
      {mode === 'hosted' && (
        <p class="hint">
          {discovered.problem ??
            (discovered.methods.length > 0
              ? `The payer can choose ${discovered.methods.map(({ label }) => label).join(', ')}.`
              : NO_METHOD)}
        </p>
      )}
    </FormDialog>
  )
}

/** What was chosen, as a request has it: the payer's name and phone are of the customer, other fields of the method. */
function payerOf(choice: Readonly<Record<string, string>> = {}) {
  const { method, customer_name: name, customer_phone: phone, ...options } = choice
  return {
    customer: { ...(name ? { name } : {}), ...(phone ? { phone } : {}) },
    ...(method ? { payment_method: method } : {}),
    ...(Object.keys(options).length > 0 ? { payment_method_options: options } : {}),
  }
}

/** Keys are shown only where they are copied to. */
const NO_KEYS = { url: 'http://…', publicKey: 'pk_…', secretKey: 'sk_…' }

interface MadeProps extends Made, Omit<NewByHandProps, 'form'> {
  readonly onClose: () => void
}

function MadeByHand({ account, what, id, link, shown, caller, onClose }: MadeProps) {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <Dialog title={`The ${what} was created`} wide onClose={onClose}>
      <div class="body">
        {link && (
          <div class="row-wrap">
            <Copyable text={link} what="the link of the page" />
            <LinkButton href={link} icon="outside" outside>
              Open as the payer
            </LinkButton>
          </div>
        )}
        <Select
          label="The call that created it, as"
          value={language}
          options={LANGUAGES}
          onChange={name => setLanguage(name as Language)}
        />
        <div class="body-view">
          <Scrollable kind="text" label="Call">
            <pre>{codeOf(language, shown, caller ?? NO_KEYS)}</pre>
          </Scrollable>
        </div>
        {caller && (
          <p class="hint">
            The merchant API has no call for this. The control surface has; <code>paysim env</code> prints its
            token.
          </p>
        )}
      </div>
      <footer>
        <CopyButton
          bare={false}
          label={caller ? 'Copy' : 'Copy with address and keys'}
          text={async () => codeOf(language, shown, caller ?? (await callerOf(account)))}
        />
        <LinkButton href={addressOf(account, `${what}s`, id)} tone="primary">
          Go to the {what}
        </LinkButton>
      </footer>
    </Dialog>
  )
}

/** What the payer can do now, without the payer's page. */
export function payerCan({ status, checkout_mode, payment_method, receipt, route }: PaymentRecord) {
  if (FINAL_STATUSES.includes(status)) return null
  if (checkout_mode === 'hosted' && payment_method === null && !route) return 'choose'
  return receipt?.status === 'required' || receipt?.status === 'rejected' ? 'receipt' : null
}

interface AsPayerProps {
  readonly account: string
  readonly payment: PaymentRecord
  readonly isFilled: boolean
}

export function AsPayer({ account, payment, isFilled }: AsPayerProps) {
  const [doing, setDoing] = useState<'choose' | 'receipt'>()
  const { id } = payment
  const can = payerCan(payment)
  const tone = isFilled ? 'primary' : 'plain'
  const close = () => setDoing(undefined)
  const [file, setFile] = useState<File>()
  const send = async () => {
    const form = new FormData()
    if (file) form.set('file', file)
    await upload('POST /accounts/:account/payments/:id/receipt', { params: { account, id } }, form)
    toast('The receipt was sent')
  }
  return (
    <>
      {can && (
        <Button tone={tone} onPress={() => setDoing(can)}>
          {can === 'choose' ? 'Choose as the payer…' : 'Attach a receipt…'}
        </Button>
      )}
      {doing === 'choose' && <ChooseForm account={account} payment={payment} onClose={close} />}
      {doing === 'receipt' && (
        <FormDialog title="Attach a receipt" action="Send" onClose={close} onSubmit={send}>
          <div class="field">
            <label for="receipt-file">Image, PNG or JPEG</label>
            <input
              id="receipt-file"
              type="file"
              accept="image/png,image/jpeg"
              required
              onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
            />
          </div>
        </FormDialog>
      )}
    </>
  )
}

interface ChooseProps extends Omit<AsPayerProps, 'isFilled'> {
  readonly onClose: () => void
}

function ChooseForm({ account, payment, onClose }: ChooseProps) {
  const { id, amount, country, currency } = payment
  const discovered = useDiscovery(account, { amount, country, currency, mode: 'hosted' })
  const { name = '', phone = '' } = payment.customer
  const [choice, setChoice] = useState<Choice>({
    ...NOTHING_CHOSEN,
    given: { customer_name: name, customer_phone: phone },
  })
  const choose = async () => {
    const body = chosen(choice, discovered)
    if (!body) throw new Error(NO_METHOD)
    await call('POST /accounts/:account/payments/:id/choose', { params: { account, id }, body })
    toast('Chosen as the payer')
  }
  return (
    <FormDialog title="Choose as the payer" action="Choose" onClose={onClose} onSubmit={choose}>
      <MethodFields discovered={discovered} choice={choice} onChoice={setChoice} />
    </FormDialog>
  )
}
