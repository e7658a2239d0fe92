import { apply } from '../../../src/domain/apply.ts'
import type { Command } from '../../../src/domain/commands.ts'
import { type Context, type Decision, decide } from '../../../src/domain/decide/index.ts'
import type { DomainEvent, Entry } from '../../../src/domain/events.ts'
import { MutableWorld } from '../../../src/domain/world.ts'
import { context } from './decisions.ts'

/** A world and a context. It applies the given events, so that a test can check what a command decides. */
export class AccountInHand {
  readonly world = new MutableWorld()
  readonly context: Context
  /** What was applied, oldest first. */
  readonly entries: Entry[] = []
  #at: number

  constructor(differences: Partial<Context> = {}) {
    this.context = context(differences)
    this.#at = this.context.at
  }

  get at(): number {
    return this.#at
  }

  /** Decides a command and applies its events. Returns the id of its record. */
  given(command: Command, by = 'test'): string {
    const decision = this.when(command)
    if (!('events' in decision)) throw new Error(`refused: ${JSON.stringify(decision)}`)
    if (decision.events.length > 0) this.#apply(by, decision.events)
    return decision.id
  }

  when(command: Command): Decision {
    return decide(this.world, command, { ...this.context, at: this.#at })
  }

  /** Lets time pass, and executes what becomes due. */
  advance(byMs: number): void {
    const target = this.#at + byMs
    for (let { next } = this.world.timers; next && next.dueAt <= target; next = this.world.timers.next) {
      this.#at = Math.max(this.#at, next.dueAt)
      const decision = this.when(next.command)
      const events = 'events' in decision ? decision.events : []
      this.#apply('timer', [{ type: 'TimerFired', timer: next.id }, ...events])
    }
    this.#at = target
  }

  #apply(by: string, events: readonly DomainEvent[]): void {
    const entry: Entry = { v: 1, seq: this.world.seq + 1, at: this.#at, by, events }
    apply(this.world, entry)
    this.entries.push(entry)
  }
}
