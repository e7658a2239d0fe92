import type { Answer } from '../gateway/server.ts'

export const CLIENTS = 200

/** This many clients at once, each with its number. */
export const allAtOnce = <T>(request: (client: number) => Promise<T>, clients = CLIENTS): Promise<T[]> =>
  Promise.all(Array.from({ length: clients }, (_, client) => request(client)))

/** How often each outcome came: a status, or the code of a refusal. */
export function outcomes(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const outcome = body?.error?.code ?? String(status)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}
