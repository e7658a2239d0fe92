/** The ways of checking out that there are, or that are allowed. */
export function modesOf(modes: readonly string[]): string {
  return modes.length === 2 ? 'both' : modes.join(', ') || 'none'
}
