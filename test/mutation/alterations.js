// Replaces one value by another valid one: an invalid file would prove nothing.

const FAMILIES = [
  ['pending', 'processing', 'succeeded', 'failed', 'expired'],
  ['requires_approval', 'processing', 'succeeded', 'failed', 'cancelled'],
  ['required', 'processing', 'submitted', 'rejected'],
  ['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.cancelled'],
  ['payout.succeeded', 'payout.failed', 'payout.cancelled'],
  ['redirect_to_url', 'display_qr_code', 'display_bank_transfer_instructions'],
  ['start', 'cancel', 'submit_receipt'],
  ['valid', 'invalid'],
  ['merchant', 'hosted'],
  ['delivered', 'pending', 'dropped'],
  [
    'validation_failed',
    'invalid_state',
    'not_found',
    'routing_unavailable',
    'provider_capability_unsupported',
  ],
  ['PaymentSucceeded', 'PaymentFailed', 'PaymentExpired', 'PaymentCancelled'],
  ['ReceiptAccepted', 'ReceiptRejected', 'ReceiptSubmitted'],
  ['PayoutSucceeded', 'PayoutFailed', 'PayoutCancelled', 'PayoutApproved'],
  ['ActionPresented', 'ActionWithdrawn', 'PaymentCreated', 'RouteFrozen', 'CancelRequested'],
]
const ERRORS = 'invalid_state'

/** Values to replace a value with. */
export function alter(value, { key, captured }) {
  if (key === 'same as') return captured.filter(name => name !== value)
  if (key === 'error') return value === ERRORS ? ['not_found'] : [ERRORS]
  if (typeof value === 'number') return [value + 1]
  if (typeof value === 'boolean') return key === 'any order' ? [] : [!value]
  if (value === null) return ['something']
  const words = FAMILIES.filter(family => family.includes(value))
    .flat()
    .filter(word => word !== value)
  if (words.length > 0) return words
  if (isInstant(value)) return [moved(value, 1000)]
  if (/^\d+$/.test(value)) return [String(BigInt(value) + 1n)]
  if (key === '$like' || key === '$matches') return [`x${value}`]
  return [`${value}x`]
}

const OPPOSITE = { $gt: '$lte', $gte: '$lt', $lt: '$gte', $lte: '$gt', $same: '$unique', $unique: '$same' }

/** These are negated as a whole instead of changed inside. */
export function flip(key, value) {
  if (key === 'none' && value === true) return { instead: { count: { $gt: 0 } } }
  if (key === 'expect' && value.lost) return { status: 200 }
  if (typeof value !== 'object' || value === null) return undefined
  const [operator] = Object.keys(value)
  if (operator in OPPOSITE) return { ...value, [operator]: undefined, [OPPOSITE[operator]]: value[operator] }
  if (operator === '$not') return value.$not
  if (operator === '$in') return { $not: value }
  return undefined
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const A_SECOND = 1000

/** Two later times or longer durations: by a second, and by much more. */
export function longer(text) {
  if (isInstant(text)) return [moved(text, A_SECOND), moved(text, 3_600_000)]
  const ms = milliseconds(text)
  return ms === undefined
    ? []
    : [...new Set([ms + A_SECOND, ms * 2])].filter(other => other > ms).map(written)
}

/** Two earlier times or shorter durations: by a second, and by much more. */
export function shorter(text) {
  if (isInstant(text)) return [moved(text, -A_SECOND), moved(text, -3_600_000)]
  const ms = milliseconds(text)
  if (ms === undefined || ms === 0) return []
  return [...new Set([Math.max(0, ms - A_SECOND), Math.floor(ms / 2)])].map(written)
}

const isInstant = text => /^\d{4}-\d{2}-\d{2}T/.test(text)
const moved = (text, ms) => new Date(Date.parse(text) + ms).toISOString()

function milliseconds(text) {
  if (!/^(\d+(ms|s|m|h|d))+$/.test(text)) return undefined
  return [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + count * UNITS[unit],
    0,
  )
}

const written = ms => (ms % A_SECOND === 0 ? `${ms / A_SECOND}s` : `${ms}ms`)
