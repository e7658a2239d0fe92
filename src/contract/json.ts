/** How deeply JSON may be nested. No valid body of this API comes near this limit. */
export const MOST_LEVELS = 64

/** Looks at JSON before it is parsed, so that code that walks the value may recurse. */
export function isTooDeep(text: string): boolean {
  // Found much faster than it is counted how deep they are.
  if (!hasMore(text, '{', '[')) return false
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (quoted) {
      if (character === 0x5c) at++
      else if (character === 0x22) quoted = false
    } else if (character === 0x22) quoted = true
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > MOST_LEVELS) return true
    } else if (character === 0x7d || character === 0x5d) depth--
  }
  return false
}

/** Whether a text has more of these characters than JSON may have levels. */
function hasMore(text: string, ...characters: readonly string[]): boolean {
  let count = 0
  for (const character of characters)
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1))
      if (++count > MOST_LEVELS) return true
  return false
}

/** How many members one object may have. No valid body comes near this limit, and code that shows them looks at each. */
const MOST_MEMBERS = 10_000
/** So much text has each of them at least. */
const SHORTEST_MEMBER = '"":0,'.length

/** Whether an object in it has too many members. A list may have more items. */
function isTooWide(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const inner = Object.values(value)
  return (!Array.isArray(value) && inner.length > MOST_MEMBERS) || inner.some(isTooWide)
}

/** The value of a JSON text from another program; undefined if it is not JSON, too deep, or has too many members. */
export function parseForeign(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return text.length > MOST_MEMBERS * SHORTEST_MEMBER && isTooWide(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** What somebody typed or a server sent: JSON, or the text itself. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** JSON with a line for each member; any other text as it is. */
export function laidOut(text: string): string {
  const read = jsonOrText(text)
  return read === text ? text : JSON.stringify(read, null, 2)
}

/** Whether it is an object of JSON, and no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The member of a record at these names; undefined if there is none, or if the value is not a record. */
export function memberAt(value: unknown, ...names: readonly string[]): unknown {
  let member = value
  for (const name of names) {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, name)) return undefined
    member = (member as Record<string, unknown>)[name]
  }
  return member
}

/** JSON with sorted members and no white space, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const record = value as Readonly<Record<string, unknown>>
  const members = Object.keys(record).sort()
  return `{${members.map(key => `${JSON.stringify(key)}:${canonicalJson(record[key])}`).join(',')}}`
}
