/** The value of a missing member; null is a present value. */
export const ABSENT = Symbol('absent')

/** Whether a value is as expected. */
export type Compare = (expected: unknown, actual: unknown) => boolean

/** The value at a path such as `data.0.status`. */
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
