import { AnswersKept } from './answers-kept.ts'
import { Deliveries } from './invariants/deliveries.ts'
import { Events } from './invariants/events.ts'
import { Lists } from './invariants/lists.ts'
import { Payments } from './invariants/payments.ts'
import { Payouts } from './invariants/payouts.ts'
import { Receipts } from './invariants/receipts.ts'
import { Rules } from './invariants/rules.ts'
import { Time } from './invariants/time.ts'
import { TimersLive } from './invariants/timers.ts'
import type { Shelf } from './journals.ts'
import { Machine, type Watch } from './machine.ts'
import { perform } from './perform.ts'
import { replayEqualsWorld } from './replay-equals-world.ts'
import type { Step } from './steps.ts'

/** Plays a history on a fresh account. Checks the promises of the document after each entry and each step. */
export async function play(shelf: Shelf, steps: readonly Step[]): Promise<void> {
  const events = new Events()
  const watches: readonly Watch[] = [
    new Time(),
    new Payments(),
    new Rules(),
    new Receipts(),
    new Payouts(),
    events,
    new Deliveries(),
    new TimersLive(),
    new Lists(),
  ]
  const machine = await Machine.start(shelf, watches)
  const kept = new AnswersKept()
  try {
    for (const [number, step] of steps.entries()) {
      await perform(step, { machine, kept, number })
      for (const watch of watches) watch.step?.(machine)
    }
    events.end(machine)
    await replayEqualsWorld(machine)
  } finally {
    await machine.close()
  }
}
