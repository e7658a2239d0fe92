import type { Entry } from '../../../../src/domain/events.ts'
import type { Machine, Watch } from '../machine.ts'
import { must } from '../must.ts'

/** Checks that the numbers and times of entries ascend, and that each timer fires when it is due, and never earlier. */
export class Time implements Watch {
  #seq = 0
  #at = 0
  #now = 0
  readonly #due = new Map<string, number>()

  entry(entry: Entry, { account }: Machine): void {
    must(entry.seq === this.#seq + 1, 'entries are numbered one by one', entry)
    must(entry.at >= this.#at, 'time never runs backwards', { entry, before: this.#at })
    for (const event of entry.events) {
      if (event.type === 'TimerFired') {
        const dueAt = this.#due.get(event.timer) ?? Number.NaN
        const right = account.clock.mode === 'virtual' ? Math.max(dueAt, this.#at, this.#now) : entry.at
        must(
          entry.at >= dueAt && (entry.at === right || entry.at === account.now),
          'a timer fires at its time',
          {
            entry,
            dueAt,
          },
        )
      }
      if (event.type === 'TimerSet') this.#due.set(event.timer, event.dueAt)
    }
    this.#seq = entry.seq
    this.#at = entry.at
  }

  step({ account, world }: Machine): void {
    must(account.now >= this.#now && account.now >= this.#at, 'the clock never runs backwards', account.now)
    must(world.seq === this.#seq && world.at === this.#at, 'the world is as old as its last entry')
    this.#now = account.now
  }
}
