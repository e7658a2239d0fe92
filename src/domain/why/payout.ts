import type { Coming, Why } from '../../contract/control/timeline.ts'
import type { PayoutTrigger } from '../../contract/statuses.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { Payout } from '../model.ts'
import { UNSCRIPTED_PAYOUT } from '../script.ts'
import {
  accepts,
  answer,
  type Ending,
  endCause,
  endedBy,
  endWords,
  MOVES,
  ruleName,
  type Surroundings,
  type Told,
} from './answer.ts'

/** Why a payout is as it is. */

export type PayoutReason =
  | { readonly is: 'approval timed'; readonly at: string; readonly rule: string }
  | { readonly is: 'approval by hand'; readonly rule: string | null }
  | {
      readonly is: 'outcome timed'
      readonly at: string
      readonly trigger: PayoutTrigger
      readonly rule: string
    }
  | { readonly is: 'outcome by hand'; readonly rule: string | null }
  | ({ readonly is: 'ended'; readonly status: 'succeeded' } & Ending)
  | ({
      readonly is: 'ended'
      readonly status: 'failed' | 'cancelled'
      readonly reason: string | null
    } & Ending)

export interface PayoutFacts extends Surroundings {
  readonly triggers: readonly PayoutTrigger[]
}

export function whyPayout(payout: Payout, facts: PayoutFacts): Why {
  const { id } = payout.sortKey
  const told = tellPayout(payoutReason(payout, facts), id)
  const commands = told.commands.filter(
    ([noun, verb = '']) => noun !== 'payouts' || accepts(facts.triggers, verb),
  )
  const { script, status } = payout
  const rule = script === UNSCRIPTED_PAYOUT ? 'no rule' : ruleName(script.rule)
  return answer({ id, kind: 'payout', status }, { ...told, commands }, facts, [
    { what: `${rule} matched when it was created`, at: formatTimestamp(payout.sortKey.createdAt) },
    ...endCause(status !== 'requires_approval' && status !== 'processing', facts, id),
  ])
}

function payoutReason(payout: Payout, { coming, entries }: Surroundings): PayoutReason {
  const { status, script, failure, cancelReason } = payout
  const rule = ruleName(script.rule)
  const openRule = script === UNSCRIPTED_PAYOUT ? null : rule
  const timed = (kind: Coming['kind']) =>
    coming.find(each => each.kind === kind && each.due_at !== null)?.due_at
  switch (status) {
    case 'requires_approval': {
      const at = timed('approve')
      return at ? { is: 'approval timed', at, rule } : { is: 'approval by hand', rule: openRule }
    }
    case 'processing': {
      const at = timed('outcome')
      if (!at) return { is: 'outcome by hand', rule: openRule }
      const trigger = coming.find(({ kind }) => kind === 'outcome')?.trigger === 'fail' ? 'fail' : 'succeed'
      return { is: 'outcome timed', at, trigger, rule }
    }
    case 'succeeded':
      return { is: 'ended', status, how: endedBy(entries, payout.sortKey.id).how, rule }
    case 'failed':
    case 'cancelled': {
      const reason = failure ? `${failure.code}: ${failure.message}` : cancelReason
      return { is: 'ended', status, reason, how: endedBy(entries, payout.sortKey.id).how, rule }
    }
  }
}

export function tellPayout(reason: PayoutReason, id: string): Told {
  const by = (...triggers: PayoutTrigger[]) => triggers.map(trigger => ['payouts', trigger, id])
  const open = (rule: string | null, what: string) =>
    rule === null ? 'no rule matched it' : `${rule} leaves ${what} open`
  switch (reason.is) {
    case 'approval timed':
      return {
        sentence: `It waits for its approval, which comes at ${reason.at}, because ${reason.rule} says so.`,
        commands: by('approve', 'cancel'),
      }
    case 'approval by hand':
      return {
        sentence: `It waits for you to approve or cancel it, because ${open(reason.rule, 'the approval')}.`,
        waits: { what: 'you approve or cancel it', by: 'operator' },
        commands: by('approve', 'cancel'),
      }
    case 'outcome timed':
      return {
        sentence: `It is being paid out; at ${reason.at} ${MOVES[reason.trigger === 'fail' ? 'fail' : 'succeed']}, because ${reason.rule} says so.`,
        commands: by('succeed', 'fail'),
      }
    case 'outcome by hand':
      return {
        sentence: `It is being paid out, and waits for you to decide how that ends, because ${open(reason.rule, 'the outcome')}.`,
        waits: { what: 'you decide how it ends', by: 'operator' },
        commands: by('succeed', 'fail'),
      }
    case 'ended': {
      const verb = reason.status === 'cancelled' ? 'was cancelled' : reason.status
      const why = 'reason' in reason && reason.reason !== null ? ` (${reason.reason})` : ''
      return { sentence: `It ${verb}${why}: ${endWords(reason)}.`, commands: [['history', id]] }
    }
  }
}
