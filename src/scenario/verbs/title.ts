/** How a step is shown in its title. */

interface Facts {
  readonly step: object
  readonly value: unknown
}

export const nothing = () => []

/** The value of the verb, and its expectation. */
export const valueAndExpectation = ({ step, value }: Facts): string[] => [
  typeof value === 'string' ? short(value) : brief(value),
  ...['is', 'exactly', 'include', 'count', 'none'].flatMap(key =>
    key in step ? [`${key} ${brief((step as Record<string, unknown>)[key])}`] : [],
  ),
]

/** Some members of a body. */
export const members =
  (...names: string[]) =>
  ({ value }: Facts): string[] => {
    const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
    return names.map(name => body[name]).filter(word => typeof word === 'string')
  }

export const wholeValue = ({ value }: Facts): string[] => [typeof value === 'string' ? value : brief(value)]

export const numberOfItems = ({ value }: Facts): string[] => [String((value as unknown[]).length)]

/** The expected outcome, if it is not a success. */
export function expectedOutcome(step: object): string {
  const { error, lost } = ((step as { expect?: object }).expect ?? {}) as { error?: string; lost?: true }
  return lost ? '→ no answer' : error ? `→ ${error}` : ''
}

const LONGEST = 72

/** The first characters of an id are enough to recognise it. */
const short = (text: string) => (/^[a-z]+_[0-9A-Za-z]{24}$/.test(text) ? `${text.slice(0, 11)}…` : text)

export function brief(value: unknown): string {
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
