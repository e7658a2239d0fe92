/** `${name.path}`: what a text takes from what was captured before. `$${` stands for itself. */
const REFERENCE = /\$?\$\{([^}]*)\}/g

/** Names that are always there. */
export const BUILT_IN = ['now', 'start', 'run', 'account'] as const

/** An instant, and how far from it: `now`, `start+1h30m`. */
export const INSTANT = /^(now|start)(?:([+-])(\S+))?$/

export interface Reference {
  /** The text between the braces. */
  readonly inner: string
  readonly name: string
}

export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)]
    .filter(([whole]) => !whole.startsWith('$$'))
    .map(([, inner = '']) => ({ inner: inner.trim(), name: nameOf(inner.trim()) }))
}

export const nameOf = (inner: string) => INSTANT.exec(inner)?.[1] ?? inner.split('.')[0] ?? ''

/** Replaces each reference; where it is the whole text, the value stays what it is. */
export function substitute(text: string, read: (inner: string) => unknown): unknown {
  const whole = /^\$\{([^}]*)\}$/.exec(text)
  if (whole) return read((whole[1] ?? '').trim())
  return text.replace(REFERENCE, (found, inner: string) => {
    if (found.startsWith('$$')) return found.slice(1)
    const value = read(inner.trim())
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}
