import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { apply } from '../../../src/domain/apply.ts'
import type { Entry } from '../../../src/domain/events.ts'
import { MutableWorld } from '../../../src/domain/world.ts'
import { openLine } from '../../../src/engine/journal/journal-format.ts'
import type { Machine } from './machine.ts'
import { dump } from './world-dump.ts'

/** The journal is the source of truth: its replay must equal the current world. */
export async function replayEqualsWorld({ account, world }: Machine): Promise<void> {
  const replayed = new MutableWorld()
  let seq = 0
  for await (const line of account.journal.lines()) apply(replayed, openLine<Entry>(line.slice(0, -1), ++seq))
  const [live, again] = [dump(world), dump(replayed)]
  if (!isDeepStrictEqual(again, live)) {
    expect(again, 'a replay of the journal equals the live world').toStrictEqual(live)
    throw new Error('a replay of the journal equals the live world')
  }
}
