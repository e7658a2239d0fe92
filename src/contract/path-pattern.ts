/** A path with places for names, such as `/payment_intents/:id`, and what can be done with it. */
export interface PathPattern {
  readonly text: string
  readonly segments: readonly Segment[]
}
type Segment = { readonly name: string } | { readonly text: string }

export function pathPattern(text: string): PathPattern {
  const segments = text
    .split('/')
    .map(part => (part.startsWith(':') ? { name: part.slice(1) } : { text: decodeSegment(part) ?? part }))
  return { text, segments }
}

export const hasPlaces = ({ segments }: PathPattern) => segments.some(segment => 'name' in segment)

/** The names in a path of this pattern; undefined where it is none. `%5F` and `_` are the same path. */
export function namesIn(
  { segments }: PathPattern,
  path: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== path.length) return undefined
  const names: Record<string, string> = {}
  for (let at = 0; at < segments.length; at++) {
    const segment = segments[at]
    const given = decodeSegment(path[at] ?? '')
    if (!segment) return undefined
    if ('text' in segment) {
      if (segment.text !== given) return undefined
    } else if (given) names[segment.name] = given
    else return undefined
  }
  return names
}

/** The path with the names in their places, each spelled in the one way. */
export function withNames({ segments }: PathPattern, names: Readonly<Record<string, string>>): string {
  return segments
    .map(segment => ('text' in segment ? segment.text : (names[segment.name] ?? '')))
    .map(encodeURIComponent)
    .join('/')
}

/** As OpenAPI writes it, and people do. */
export const inBraces = (pattern: string) => pattern.replaceAll(/\/:([a-z]+)/g, '/{$1}')

/** Undefined where it is not percent-encoded UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
