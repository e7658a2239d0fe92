/** `${name.path}` is a part of a stored value. `$${` is a literal `${`. */
const REFERENCE = /\$?\$\{([^}]*)\}/g

/** Names that always exist. */
export const BUILT_IN = ['now', 'start', 'run', 'account'] as const

/** A time relative to now or to the start: `now`, `start+1h30m`. */
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

/** Replaces each reference. If a reference is the whole text, the value keeps its type. */
export function substitute(text: string, read: (inner: string) => unknown): unknown {
  const whole = /^\$\{([^}]*)\}$/.exec(text)
  if (whole) return read((whole[1] ?? '').trim())
  return text.replace(REFERENCE, (found, inner: string) => {
    if (found.startsWith('$$')) return found.slice(1)
    const value = read(inner.trim())
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}
