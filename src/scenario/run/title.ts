import type { Step, Verb } from '../schema/steps.ts'

/** A step in words, for whoever watches. */
export function titleOf(verb: Verb, step: Step): string {
  if (step.note !== undefined) return step.note
  const facts = step as unknown as Record<string, unknown>
  const value = facts[verb]
  const words = [
    ...details(verb, value, facts),
    typeof facts.expect === 'object' ? outcome(facts.expect) : '',
  ]
  return [verb, ...words].filter(word => word !== '').join(' ')
}

function details(verb: Verb, value: unknown, step: Record<string, unknown>): string[] {
  const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const of = (...keys: string[]) =>
    keys.map(key => body[key]).filter(word => typeof word === 'string') as string[]
  switch (verb) {
    case 'create payment':
      return of('amount', 'currency', 'payment_method', 'merchant_reference')
    case 'create payout':
      return of('amount', 'currency', 'merchant_reference')
    case 'list methods':
      return of('amount', 'currency', 'country', 'provider')
    case 'payer chooses':
    case 'trigger':
      return [String(value)]
    case 'advance':
      return [typeof value === 'string' ? value : brief(value)]
    case 'repeat':
      return [`${value} times`]
    case 'parallel':
      return [Array.isArray(value) ? `${value.length} branches` : `${value} at once`]
    case 'expect value':
      return [brief(step.is)]
    case 'set rules':
    case 'add rules':
    case 'set faults':
      return [String((value as unknown[]).length)]
    case 'set catalogue':
      return []
    default:
      return [...(typeof value === 'string' ? [short(value)] : [brief(value)]), ...looked(step)]
  }
}

const looked = (step: Record<string, unknown>) =>
  ['is', 'exactly', 'include', 'count', 'none']
    .filter(key => step[key] !== undefined)
    .map(key => `${key} ${brief(step[key])}`)

function outcome(expect: object | null): string {
  const { error, lost } = (expect ?? {}) as { error?: string; lost?: true }
  return lost ? '→ no answer' : error ? `→ ${error}` : ''
}

const LONGEST = 72

/** Ids say little after their first letters. */
const short = (text: string) => (/^[a-z]+_[0-9A-Za-z]{24}$/.test(text) ? `${text.slice(0, 11)}…` : text)

function brief(value: unknown): string {
  const text = plain(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

function plain(value: unknown): string {
  if (typeof value === 'string') return short(value)
  if (Array.isArray(value)) return `[${value.map(plain).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${plain(inner)}`)
    .join(', ')
}
