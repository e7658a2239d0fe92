/** A value that is not there at all; null is there. */
export const ABSENT = Symbol('absent')

/** Whether a value is what was expected. */
export type Compare = (expected: unknown, actual: unknown) => boolean

/** What is at a path of a value, as `data.0.status`. */
export function read(value: unknown, path: string): unknown {
  let here = value
  for (const part of path.split('.')) {
    if (typeof here === 'string' || Array.isArray(here)) {
      if (part === 'length') {
        here = here.length
        continue
      }
    }
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return ABSENT
    here = (here as Record<string, unknown>)[part]
  }
  return here
}
