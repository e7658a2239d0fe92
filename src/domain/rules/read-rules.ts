import { type ProviderRule, RulesBody } from '../../contract/control/rules.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { validator } from '../../contract/validation.ts'
import { compileRule, type Rule } from './rule.ts'

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
