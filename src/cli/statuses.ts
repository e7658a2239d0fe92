import { closest } from '../contract/closest.ts'
import { PAYMENT_STATUSES, PAYOUT_STATUSES } from '../contract/statuses.ts'
import { UsageError } from './errors/cli-errors.ts'

/** The statuses that options accept, and what other gateways call them. */
interface Vocabulary {
  readonly of: 'payment' | 'payout'
  readonly known: readonly string[]
  readonly calledElsewhere: Readonly<Record<string, readonly string[]>>
}

/** Not a status, but a way in which a payment can end. The server decides which status it has then. */
export const CANCELLED = 'cancelled'

export const PAYMENT_ENDS: Vocabulary = {
  of: 'payment',
  known: [...PAYMENT_STATUSES, CANCELLED],
  calledElsewhere: {
    succeeded: words('paid success successful complete completed done settled captured confirmed approved'),
    failed: words('failure error errored declined rejected refused denied'),
    expired: words('expire timeout timed_out overdue lapsed'),
    cancelled: words('canceled cancel cancelation cancellation voided aborted payment_cancelled'),
    pending: words('open new created waiting unpaid requires_action requires_payment_method'),
    processing: words('in_progress in_flight authorized'),
  },
}

export const PAYOUTS: Vocabulary = {
  of: 'payout',
  known: PAYOUT_STATUSES,
  calledElsewhere: {
    requires_approval: words(
      'pending open new created waiting unapproved awaiting_approval pending_approval',
    ),
    processing: words('approved in_progress in_flight in_transit sending'),
    succeeded: words('paid sent success successful complete completed done settled'),
    failed: words('failure error errored declined rejected refused denied returned'),
    cancelled: words('canceled cancel cancelation cancellation voided aborted'),
  },
}

function words(text: string): readonly string[] {
  return text.split(' ')
}

/**
 * Refuses a status that the interface does not have, before anything is sent: nothing would ever have it. A server may
 * have more statuses than the document; `--any-status` accepts them.
 */
export function refuseUnknownStatus(
  flag: string,
  given: readonly string[],
  { of, known, calledElsewhere }: Vocabulary,
): void {
  for (const status of given) {
    if (known.includes(status)) continue
    const meant = closestStatus(status, { known, calledElsewhere })
    throw new UsageError(
      [
        `${flag} ${status} is not a ${of} status.`,
        ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
        `Use one of ${known.join(', ')}.`,
        'If your server has this status, add --any-status.',
      ].join(' '),
    )
  }
}

function closestStatus(
  status: string,
  { known, calledElsewhere }: Pick<Vocabulary, 'known' | 'calledElsewhere'>,
): string | undefined {
  const spelled = status.toLowerCase().replaceAll(/[\s-]+/g, '_')
  const synonym = Object.keys(calledElsewhere).find(name => calledElsewhere[name]?.includes(spelled))
  return synonym ?? closest(spelled, known)
}
