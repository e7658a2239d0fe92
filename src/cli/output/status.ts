import type { ChalkInstance } from 'chalk'

type Tone = 'green' | 'red' | 'yellow' | 'cyan' | 'gray'

const TONES: ReadonlyMap<string, Tone> = new Map([
  ...toned('green', 'succeeded submitted delivered active healthy'),
  ...toned('red', 'failed rejected'),
  ...toned('yellow', 'pending required requires_approval'),
  ...toned('cyan', 'processing'),
  ...toned('gray', 'expired cancelled disabled'),
])

function toned(tone: Tone, statuses: string): [string, Tone][] {
  return statuses.split(' ').map(status => [status, tone])
}

/** A status, or what is left of it after cutting, in its colour. An unknown status is not painted. */
export function paintStatus(status: unknown, paint: ChalkInstance, shown = String(status)): string {
  const tone = typeof status === 'string' ? TONES.get(status) : undefined
  return tone === undefined ? shown : paint[tone](shown)
}

export function paintHttpStatus(status: number, paint: ChalkInstance, shown = String(status)): string {
  if (status >= 500) return paint.red.bold(shown)
  if (status >= 400) return paint.red(shown)
  return status >= 300 ? paint.yellow(shown) : paint.green(shown)
}
