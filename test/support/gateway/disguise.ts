// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type Json = any

/** Too many digits for a JavaScript number, so that parsing and printing would change them. */
const EXACT = '12345678901234567890.10'
const STAND_IN = 'the exact digits'

/** The same answer as another server could send it: with more members, and formatted differently. */
export function disguise(body: Json): string {
  return JSON.stringify(knowingMore(body), null, 3).replaceAll(JSON.stringify(STAND_IN), EXACT)
}

function knowingMore(value: Json): Json {
  if (Array.isArray(value)) return value.map(knowingMore)
  if (typeof value !== 'object' || value === null) return value
  const known = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, knowingMore(inner)]))
  return { ...withNewValues(known), x_risk: { score: STAND_IN, flags: [null, 'ใหม่ 🧾'] } }
}

/** Adds values to enums that may grow. Statuses stay, because callers act on them. */
function withNewValues(known: Json): Json {
  if (known.object === 'payment_intent') return { ...known, processing_reason: 'manual_review' }
  if (known.type === 'bank_account') return { ...known, type: 'proxy_account' }
  if (!Array.isArray(known.next_action_types)) return known
  return {
    ...known,
    category: 'instant_transfer',
    next_action_types: [...known.next_action_types, 'open_app'],
  }
}
