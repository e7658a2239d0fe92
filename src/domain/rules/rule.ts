import type { ProviderRule } from '../../contract/control/rules.ts'
import { parseDuration } from '../../contract/durations.ts'
import type { MatchLimits } from '../match-limits.ts'
import {
  type PaymentScript,
  type PayoutScript,
  type ReceiptVerdict,
  UNSCRIPTED_PAYMENT,
  UNSCRIPTED_PAYOUT,
} from '../script.ts'
import { compileCondition, type Facts, type Test } from './condition.ts'

/** A compiled rule, with its scripts. */
export interface Rule extends MatchLimits {
  readonly data: ProviderRule
  readonly name: string | null
  /** `match` and `not` without the count. */
  readonly holds: Test
  readonly payment: PaymentScript
  readonly payout: PayoutScript
}

export function compileRule(data: ProviderRule): Rule {
  const matches = compileCondition(data.match ?? {})
  const excludes = data.not && data.not.nth === undefined ? compileCondition(data.not) : undefined
  const kind = kindOf(data)
  return {
    data,
    name: data.name ?? null,
    holds: facts => (kind === undefined || kind === facts.kind) && matches(facts) && !excludes?.(facts),
    nth: data.match?.nth ?? null,
    skipNth: data.not?.nth ?? null,
    times: data.times ?? null,
    probability: null,
    payment: paymentScript(data),
    payout: payoutScript(data),
  }
}

/** A rule with `receipt` applies only to payments, even without a `kind`. */
function kindOf({
  match,
  action,
  receipt,
  cancel,
  expiry,
  approval,
}: ProviderRule): Facts['kind'] | undefined {
  if (match?.kind) return match.kind
  if (approval !== undefined) return 'payout'
  return action || receipt || cancel || expiry ? 'payment' : undefined
}

function paymentScript({ name, action, receipt, cancel, outcome, expiry }: ProviderRule): PaymentScript {
  return {
    rule: name ?? null,
    action: { afterMs: ms(action?.after), expiresAfterMs: ms(action?.expires_after) },
    receipt: receipt === undefined ? UNSCRIPTED_PAYMENT.receipt : verdicts(receipt),
    cancel: cancelScript(cancel),
    outcome: outcomeScript(outcome),
    expiryMs: ms(expiry),
  }
}

function verdicts(receipt: NonNullable<ProviderRule['receipt']>): readonly ReceiptVerdict[] {
  if (receipt === 'manual') return [{ afterMs: 0, verdict: 'manual', message: null }]
  return receipt.map(({ after, verdict, message }) => ({
    afterMs: ms(after) ?? 0,
    verdict,
    message: message ?? null,
  }))
}

function cancelScript(cancel: ProviderRule['cancel']): PaymentScript['cancel'] {
  if (cancel === undefined) return UNSCRIPTED_PAYMENT.cancel
  if (cancel === 'manual') return { afterMs: 0, outcome: 'never' }
  return { afterMs: ms(cancel.after) ?? 0, outcome: cancel.outcome }
}

function outcomeScript(outcome: ProviderRule['outcome']): PaymentScript['outcome'] {
  if (outcome === undefined || outcome === 'manual') return 'manual'
  const { after, status, code, message } = outcome
  return { afterMs: ms(after) ?? 0, status, code: code ?? null, message: message ?? null }
}

function payoutScript({ name, approval, outcome }: ProviderRule): PayoutScript {
  const end = outcomeScript(outcome)
  return {
    rule: name ?? null,
    approval:
      approval === undefined || approval === 'manual'
        ? UNSCRIPTED_PAYOUT.approval
        : { afterMs: ms(approval.after) ?? 0 },
    outcome: end === 'manual' || end.status === 'expired' ? 'manual' : { ...end, status: end.status },
  }
}

const ms = (duration: string | undefined): number | null =>
  duration === undefined ? null : (parseDuration(duration) ?? null)
