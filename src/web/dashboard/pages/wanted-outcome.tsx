import type { ProviderRule } from '../../../contract/control/rules.ts'
import { call } from '../state/api.ts'
import { changeRules, replacing } from '../state/change-list.ts'
import { Field, Select } from '../ui/field.tsx'

/** What shall become of a payment or payout that is created by hand: a rule in front of the others, for it alone. */

interface Wanted {
  readonly status: string
  readonly code: string
  readonly receipt: string
  readonly reason: string
}

/** What gateways often say; a rule may say anything. */
export const FAILURE_CODES = [
  'account_closed',
  'insufficient_funds',
  'limit_exceeded',
  'payment_declined',
  'timeout',
]

export const AS_THE_RULES_SAY: Wanted = {
  status: '',
  code: 'insufficient_funds',
  receipt: '',
  reason: 'Amount is not legible',
}

type Kind = 'payment' | 'payout'
type Choices = readonly (readonly [value: string, label: string])[]

const OUTCOMES: Readonly<Record<Kind, Choices>> = {
  payment: [
    ['', 'As the rules say'],
    ['succeeded', 'It succeeds'],
    ['failed', 'It fails'],
    ['expired', 'It expires'],
    ['manual', 'It waits for somebody'],
  ],
  payout: [
    ['', 'As the rules say'],
    ['succeeded', 'It is approved and succeeds'],
    ['failed', 'It is approved and fails'],
    ['approved', 'It is approved, then waits'],
    ['manual', 'It waits for approval'],
  ],
}

const RECEIPTS: Choices = [
  ['accept', 'Each is accepted'],
  ['reject', 'Each is rejected'],
  ['reject-accept', 'The first is rejected, the next accepted'],
  ['manual', 'They wait for somebody'],
]

interface OutcomeFieldsProps {
  readonly kind: Kind
  readonly wanted: Wanted
  readonly onWanted: (wanted: Wanted) => void
}

export function OutcomeFields({ kind, wanted, onWanted }: OutcomeFieldsProps) {
  const { status, code, receipt, reason } = wanted
  const set = (changes: Partial<Wanted>) => onWanted({ ...wanted, ...changes })
  return (
    <>
      <Select
        label="Outcome"
        value={status}
        // A rule says all of it: with its verdicts on receipts, it must say the outcome too.
        options={OUTCOMES[kind].filter(([value]) => value !== '' || receipt === '')}
        onChange={value => set({ status: value })}
      />
      {status === 'failed' && (
        <Field
          label="Failure code"
          name="code"
          required
          value={code}
          suggestions={FAILURE_CODES}
          onInput={text => set({ code: text })}
        />
      )}
      {kind === 'payment' && (
        <Select
          label="Receipts"
          value={receipt}
          options={[['', status === '' ? 'As the rules say' : 'Each is accepted after 5 s'], ...RECEIPTS]}
          onChange={value =>
            set({ receipt: value, status: status || (value.includes('accept') ? 'succeeded' : 'manual') })
          }
        />
      )}
      {receipt.startsWith('reject') && (
        <Field
          label="Why it is rejected"
          name="reason"
          required
          value={reason}
          onInput={text => set({ reason: text })}
        />
      )}
    </>
  )
}

/** Creates something with the rule that brings about what is wanted; the rule goes again if nothing was created. */
export async function withOutcome<T>(
  account: string,
  kind: Kind,
  reference: string,
  wanted: Wanted,
  create: () => Promise<T>,
): Promise<T> {
  if (wanted.status === '') return create()
  const rule = ruleFor(kind, reference, wanted)
  await call('POST /accounts/:account/rules', { params: { account }, body: { rules: [rule] } })
  try {
    return await create()
  } catch (error) {
    await changeRules(account, replacing(rule, 0, []))
    throw error
  }
}

function ruleFor(kind: Kind, reference: string, { status, code, receipt, reason }: Wanted): ProviderRule {
  const rejects = { after: '0s', verdict: 'reject', message: reason } as const
  const accepts = { after: '0s', verdict: 'accept' } as const
  const verdicts = { accept: [accepts], reject: [rejects], 'reject-accept': [rejects, accepts] }
  const isEnd = status === 'succeeded' || status === 'failed' || status === 'expired'
  return {
    name: [reference, status, receipt && `receipt ${receipt}`].filter(Boolean).join(' '),
    match: { kind, merchant_reference: reference },
    times: 1,
    ...(kind === 'payout' && status !== 'manual' ? { approval: { after: '0s' } } : {}),
    ...(receipt === '' ? {} : { receipt: verdicts[receipt as keyof typeof verdicts] ?? 'manual' }),
    outcome: isEnd ? { after: '0s', status, ...(status === 'failed' ? { code } : {}) } : 'manual',
  }
}
