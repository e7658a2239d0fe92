import type { ChalkInstance } from 'chalk'

type Tone = 'green' | 'red' | 'yellow' | 'cyan' | 'gray'

/** By what a status asks of whoever reads it. */
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

/** A status, or what is left of it, in the colour of the status. One that nobody knows stays as it is. */
export function paintStatus(status: unknown, paint: ChalkInstance, shown = String(status)): string {
  const tone = typeof status === 'string' ? TONES.get(status) : undefined
  return tone === undefined ? shown : paint[tone](shown)
}
