import { ControlError, type JournalEntry } from '../../client/control-client.ts'
import type { Stage } from './stage.ts'

/** Internal events, which say nothing about what happened to a record. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'TimerSet',
  'TimerFired',
  'AnswerKept',
  'RulesConsulted',
  'FaultsCounted',
])

/** The events of a record, oldest first. */
export async function historyOf(
  id: string,
  stage: Stage,
): Promise<{ type: string; at: string; by: string }[]> {
  const entries = await stage.simulated.control.history(id).catch(noneIfRefused)
  return entries.flatMap(({ at, by, seq, events }) =>
    events.filter(({ type }) => !BOOKKEEPING.has(type)).map(event => ({ at, by, seq, ...event })),
  )
}

/** A record that does not exist has no history. */
function noneIfRefused(error: unknown): JournalEntry[] {
  if (error instanceof ControlError) return []
  throw error
}

const SHOWN = 6

/** The last events, to show with a failure. */
export async function lastOfHistory(id: string | undefined, stage: Stage): Promise<string[]> {
  if (id === undefined || !stage.account) return []
  const events = await historyOf(id, stage).catch(() => [])
  return events.slice(-SHOWN).map(({ at, by, type }) => `${at.slice(0, 23)}Z  ${type} (${by})`)
}
