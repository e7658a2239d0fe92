/** A path with parameters, such as `/payment_intents/:id`. */
export interface PathPattern {
  readonly text: string
  readonly segments: readonly Segment[]
}
interface Segment {
  /** The name of a parameter; undefined for a fixed segment. */
  readonly name: string | undefined
  /** The text of a fixed segment; undefined for a parameter. */
  readonly text: string | undefined
}

export function pathPattern(text: string): PathPattern {
  const segments = text
    .split('/')
    .map(part =>
      part.startsWith(':')
        ? { name: part.slice(1), text: undefined }
        : { name: undefined, text: decodeSegment(part) ?? part },
    )
  return { text, segments }
}

export const hasParameters = ({ segments }: PathPattern) => segments.some(({ name }) => name !== undefined)

/**
 * The parameters of a path that matches the pattern; undefined if it does not match. `%5F` and `_` are the same.
 */
export function namesIn(
  { segments }: PathPattern,
  path: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== path.length) return undefined
  // Most patterns do not match, so the parameters are collected only when it is known that this one does.
  for (let at = 0; at < segments.length; at++) {
    const given = decodeSegment(path[at] ?? '')
    const text = segments[at]?.text
    if (text === undefined ? !given : text !== given) return undefined
  }
  const names: Record<string, string> = {}
  for (let at = 0; at < segments.length; at++) {
    const name = segments[at]?.name
    if (name !== undefined) names[name] = decodeSegment(path[at] ?? '') ?? ''
  }
  return names
}

/** The path with its parameters filled in, always encoded in the same way. */
export function withNames({ segments }: PathPattern, names: Readonly<Record<string, string>>): string {
  return segments
    .map(({ text, name }) => text ?? names[name ?? ''] ?? '')
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
