import { type DisturbanceKind, isForgery } from '../application/disturbance.ts'
import type { Finding } from './confirm.ts'
import { KIND_RULES } from './kinds.ts'
import { cameFirst } from './narrative.ts'

interface Advice {
  readonly text: string
  /** The kind that it is about, if what was disturbed is the cause. */
  readonly kind?: DisturbanceKind
}

/** How to write an application that does not fail so. If what was disturbed is not the cause, the symptom says more. */
export function adviceOf(finding: Finding): Advice[] {
  const { kinds, instead = [] } = finding
  if (kinds.length === 0) {
    // What failed each time may have a cause of its own besides.
    const steady = instead.filter(({ failed, of }) => of > 0 && failed === of).flatMap(({ kinds }) => kinds)
    return [{ text: adviceForSymptom(finding) }, ...adviceForKinds(steady)]
  }
  if (hasEarlyEvent(finding)) {
    const { text } = adviceForKind('webhook-early')
    return [
      { text: `The event came before the answer to the call that caused it. ${text}`, kind: 'webhook-early' },
    ]
  }
  if (!isInnocent(finding))
    return [...(isUnfinishedAfterCrash(finding) ? [LEASE] : []), ...adviceForKinds(kinds)]
  return [{ text: `What was forged was refused, so it is not the cause. ${adviceForSymptom(finding)}` }]
}

const adviceForKinds = (kinds: readonly DisturbanceKind[]): Advice[] => [...new Set(kinds)].map(adviceForKind)

const adviceForKind = (kind: DisturbanceKind) => ({ text: KIND_RULES[kind].advice, kind })

const LEASE: Advice = {
  text: 'What was under way when the application was killed was not finished, though nothing else happened for a while. If a queue works it off, the job may still be leased to the process that is gone (pg-boss: for 15 minutes): make the lease short, or renew it while the job runs.',
  kind: 'restart',
}

/** Whether something is missing after a restart, as opposed to done twice or refused. */
const isUnfinishedAfterCrash = ({ kinds, failure: { actual, expected } }: Finding) =>
  kinds.includes('restart') &&
  expected !== null &&
  !['ended', 'error answer', 'forgery believed', 'second payment'].includes(String(actual)) &&
  !(typeof actual === 'number' && typeof expected === 'number' && actual > expected)

/** Whether a slow answer only let an event come first. */
function hasEarlyEvent({ kinds, attempt: { result } }: Finding): boolean {
  const { calls = [], deliveries = [] } = result.application ?? {}
  return kinds.includes('call-slow') && deliveries.some(delivery => cameFirst(delivery, calls))
}

/** Whether the disturbance itself did nothing: the application refused every forged webhook. */
export function isInnocent({ kinds, failure, attempt }: Finding): boolean {
  if (!kinds.every(isForgery) || failure.actual === 'forgery believed') return false
  const forged =
    attempt.result.application?.deliveries.filter(({ sent }) => sent.startsWith('webhook-')) ?? []
  return forged.length > 0 && forged.every(({ status }) => status >= 400 && status < 500)
}

function adviceForSymptom({ failure: { actual } }: Pick<Finding, 'failure'>): string {
  if (actual === 'ended') return 'Read what the application printed before it ended.'
  if (actual === 'second payment')
    return "Use the order's reference as the Idempotency-Key of the payment, and a unique index on the reference of the order."
  return 'It depends on timing: two ways into the application meet, such as the page of return and a worker of a queue. Check and write in one step, with one guard for all ways in: an UPDATE with the old status in its WHERE, or a lock on the order.'
}
