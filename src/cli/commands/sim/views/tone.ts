import type { ChalkInstance } from 'chalk'

/** Ends stand out, and what only keeps the machine going stands back. */
export function toneOf(what: string, paint: ChalkInstance): (text: string) => string {
  if (/(?:succeeded|accepted)$/.test(what)) return paint.green
  if (/(?:failed|rejected|disabled)$/.test(what)) return paint.red
  if (/(?:cancelled|expired|cancel requested)$/.test(what)) return paint.yellow
  return /^(?:timer|answer|rules consulted|faults counted|attempt|delivery|event)/.test(what)
    ? paint.dim
    : text => text
}
