import type {
  DeliveryStatus,
  PaymentStatus,
  PaymentTrigger,
  PayoutStatus,
  PayoutTrigger,
  ReceiptStatus,
} from '../../../contract/statuses.ts'

/** Turns `display_qr_code` and `PaymentSucceeded` into plain words. */
export function humanise(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ')
  const sentence = words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
  return sentence.replace(/\b(qr|url)\b/gi, acronym => acronym.toUpperCase())
}

interface MoveWords {
  readonly label: string
  readonly tone: 'primary' | 'plain' | 'danger'
  /** The optional members of its request. */
  readonly asks?: 'failure' | 'message' | 'reason'
}

const MOVES: Readonly<Record<string, MoveWords>> = {
  succeed: { label: 'Succeed', tone: 'primary' },
  approve: { label: 'Approve', tone: 'primary' },
  'accept-receipt': { label: 'Accept receipt', tone: 'primary' },
  'confirm-cancel': { label: 'Confirm cancellation', tone: 'primary' },
  'present-action': { label: 'Present action', tone: 'plain' },
  'withdraw-action': { label: 'Withdraw action', tone: 'plain' },
  'reject-receipt': { label: 'Reject receipt', tone: 'danger', asks: 'message' },
  fail: { label: 'Fail', tone: 'danger', asks: 'failure' },
  expire: { label: 'Expire', tone: 'danger' },
  cancel: { label: 'Cancel', tone: 'danger', asks: 'reason' },
} satisfies { readonly [T in PaymentTrigger | PayoutTrigger]: MoveWords }

/** How a trigger is offered. The server says which ones are possible. */
export const moveWords = (trigger: string): MoveWords =>
  MOVES[trigger] ?? { label: humanise(trigger), tone: 'plain' }

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'busy' | 'quiet'

const TONES: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  delivered: 'good',
  submitted: 'good',
  failed: 'bad',
  rejected: 'bad',
  dropped: 'bad',
  expired: 'warn',
  required: 'warn',
  requires_approval: 'warn',
  pending: 'info',
  attempting: 'busy',
  processing: 'busy',
  cancelled: 'quiet',
} satisfies { readonly [S in PaymentStatus | PayoutStatus | ReceiptStatus | DeliveryStatus]: Tone }

export const toneOf = (status: string): Tone => TONES[status] ?? 'quiet'

export function httpTone(status: number | null): Tone {
  if (status === null || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
