/** How deeply JSON may be nested. No valid body of this API comes near this limit. */
export const MOST_LEVELS = 64

/** Looks at JSON before it is parsed, so that code that walks the value may recurse. */
export function isTooDeep(text: string): boolean {
  if (text.length <= MOST_LEVELS) return false
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

/** The value of a JSON text from another program; undefined if it is not JSON, or too deep. */
export function parseForeign(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
