/** A path with parameters, such as `/payment_intents/:id`. */
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

export const hasParameters = ({ segments }: PathPattern) => segments.some(segment => 'name' in segment)

/**
 * The parameters of a path that matches the pattern; undefined if it does not match. `%5F` and `_` are the same.
 */
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

/** The path with its parameters filled in, always encoded in the same way. */
export function withNames({ segments }: PathPattern, names: Readonly<Record<string, string>>): string {
  return segments
    .map(segment => ('text' in segment ? segment.text : (names[segment.name] ?? '')))
    .map(encodeURIComponent)
    .join('/')
}

/** With braces, as OpenAPI writes it. */
export const inBraces = (pattern: string) => pattern.replaceAll(/\/:([a-z]+)/g, '/{$1}')

/** Undefined if the text is not percent-encoded UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
