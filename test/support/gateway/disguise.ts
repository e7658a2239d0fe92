// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type Json = any

/** Digits that no JavaScript number keeps: whoever parses and prints again has changed them. */
const EXACT = '12345678901234567890.10'
const STAND_IN = 'the exact digits'

/** The same answer as a server would give it that knows more than the document, in a hand of its own. */
export function disguise(body: Json): string {
  return JSON.stringify(knowingMore(body), null, 3).replaceAll(JSON.stringify(STAND_IN), EXACT)
}

function knowingMore(value: Json): Json {
  if (Array.isArray(value)) return value.map(knowingMore)
  if (typeof value !== 'object' || value === null) return value
  const known = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, knowingMore(inner)]))
  return { ...withNewValues(known), x_risk: { score: STAND_IN, flags: [null, 'ใหม่ 🧾'] } }
}

/** Values that lists which may grow did grow by; a status decides what a caller does, so those stay. */
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
