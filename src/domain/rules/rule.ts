import { type ProviderRule, RulesBody } from '../../contract/control/rules.ts'
import { parseDuration } from '../../contract/durations.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { validator } from '../../contract/validation.ts'
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
    off: data.off === true,
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

const check = validator(RulesBody)

const PAYMENT_ONLY = ['action', 'receipt', 'cancel', 'expiry'] as const
const PAYOUT_ONLY = ['approval'] as const

/** Reads `{rules: […]}`. Each problem has its place and, if possible, a suggestion. */
export function readRules(
  data: unknown,
): { rules: readonly Rule[]; data: readonly ProviderRule[] } | { problems: readonly FieldProblem[] } {
  const problems = check(data)
  if (problems.length > 0) return { problems }
  const { rules } = data as { rules: ProviderRule[] }
  const contradictions = rules.flatMap(contradictionsIn)
  return contradictions.length > 0
    ? { problems: contradictions }
    : { rules: rules.map(compileRule), data: rules }
}

/** Rules that are well-formed but contradict themselves. */
function contradictionsIn(rule: ProviderRule, at: number): FieldProblem[] {
  const problems: FieldProblem[] = []
  const say = (field: string, message: string) => problems.push({ field: `rules.${at}.${field}`, message })
  const forPayments = PAYMENT_ONLY.filter(key => rule[key] !== undefined)
  const forPayouts = PAYOUT_ONLY.filter(key => rule[key] !== undefined)
  if (rule.match?.kind === 'payout')
    for (const key of forPayments) say(key, 'is only for payments, but the rule matches payouts')
  if (rule.match?.kind === 'payment')
    for (const key of forPayouts) say(key, 'is only for payouts, but the rule matches payments')
  if (forPayments.length > 0 && forPayouts.length > 0)
    say(
      forPayouts[0] ?? 'approval',
      `is only for payouts, but ${forPayments[0]} is only for payments: write two rules`,
    )
  if (typeof rule.outcome === 'object' && rule.outcome.status !== 'failed')
    for (const key of ['code', 'message'] as const)
      if (rule.outcome[key] !== undefined) say(`outcome.${key}`, 'is only for status failed')
  if (rule.not?.nth !== undefined && Object.keys(rule.not).length > 1)
    say('not.nth', 'is not allowed in `not`: use it in `match`')
  const status = typeof rule.outcome === 'object' ? rule.outcome.status : undefined
  if (status === 'expired' && (rule.match?.kind === 'payout' || forPayouts.length > 0))
    say('outcome.status', 'must be succeeded or failed: a payout does not expire')
  return problems
}
