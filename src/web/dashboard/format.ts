import type { TimerRecord } from '../../contract/control/clock.ts'
import { formatMinor } from '../../contract/currencies.ts'
import type {
  DeliveryStatus,
  PaymentStatus,
  PaymentTrigger,
  PayoutStatus,
  PayoutTrigger,
  ReceiptStatus,
} from '../../contract/statuses.ts'

/** Turns `display_qr_code` and `PaymentSucceeded` into plain words. */
export function humanise(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ')
  const sentence = words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
  return sentence.replace(/\b(qr|url)\b/gi, acronym => acronym.toUpperCase())
}

interface MoveWords {
  readonly label: string
  readonly tone: 'plain' | 'danger'
  /** The optional members of its request. */
  readonly asks?: 'failure' | 'message' | 'reason'
}

const MOVES: Readonly<Record<string, MoveWords>> = {
  succeed: { label: 'Succeed', tone: 'plain' },
  approve: { label: 'Approve', tone: 'plain' },
  'accept-receipt': { label: 'Accept receipt', tone: 'plain' },
  'confirm-cancel': { label: 'Confirm cancellation', tone: 'plain' },
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

/** What a timer will do. */
export function commandText(command: TimerRecord['command']): string {
  if (command.type === 'AttemptDelivery') return 'Webhook attempt'
  return command.trigger ? moveWords(command.trigger).label : humanise(command.type)
}

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'busy' | 'quiet'

const TONES: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  delivered: 'good',
  submitted: 'good',
  failed: 'bad',
  rejected: 'bad',
  dropped: 'bad',
  failing: 'bad',
  expired: 'warn',
  required: 'warn',
  requires_approval: 'warn',
  pending: 'info',
  attempting: 'busy',
  processing: 'busy',
  cancelled: 'quiet',
} satisfies {
  readonly [S in PaymentStatus | PayoutStatus | ReceiptStatus | DeliveryStatus | 'failing']: Tone
}

export const toneOf = (status: string): Tone => TONES[status] ?? 'quiet'

export function httpTone(status: number | null): Tone {
  if (status === null || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

/** Formats an amount in minor units: `123450` of THB is `1,234.50`. It works on digits, so any length is exact. */
export function moneyText(amount: string, currency: string): string {
  const [whole = '', part] = formatMinor(amount, currency).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return part === undefined ? grouped : `${grouped}.${part}`
}

export const countText = (count: number) => count.toLocaleString('en')

const DATE = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', year: 'numeric' })
const SHORT_DATE = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

export const dateTimeText = (at: number) => `${DATE.format(at)}, ${TIME.format(at)}`
export const shortTimeText = (at: number) => `${SHORT_DATE.format(at)}, ${TIME.format(at)}`
export const timeText = (at: number) => TIME.format(at)
/** With milliseconds, for times that are close together. */
export const exactText = (at: number) => `${shortTimeText(at)}.${String(at % 1000).padStart(3, '0')}`

/** A sentence of the server with its times as the pages show them. */
export const sentenceText = (sentence: string) =>
  sentence.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, time => shortTimeText(Date.parse(time)))

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** The two largest units: `2 d 3 h`, `5 s`, `120 ms`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms)
  const first = UNITS.findIndex(([, unit]) => size >= unit)
  if (first === -1) return `${Math.round(size)} ms`
  const [name, unit] = UNITS[first] ?? ['s', 1000]
  const whole = Math.floor(size / unit)
  const next = UNITS[first + 1]
  const rest = next ? Math.floor((size - whole * unit) / next[1]) : 0
  return next && rest > 0 ? `${whole} ${name} ${rest} ${next[0]}` : `${whole} ${name}`
}

export function awayText(at: number, now: number): string {
  const away = at - now
  if (Math.abs(away) < 1000) return 'now'
  return away > 0 ? `in ${spanText(away)}` : `${spanText(away)} ago`
}
