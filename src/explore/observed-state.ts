import { setTimeout as pause } from 'node:timers/promises'
import { changeBetween, type ExpectedChange, withoutMentions } from './state-change.ts'

/** The ids that an event is about. */
export interface Subject {
  readonly event: string
  readonly payment: string
  readonly reference: string
}

/** Prints the state of an application, as a whole or of one payment. */
export type PrintState = (subject: Subject) => Promise<string>

type Change = readonly string[]

/** The state is asked for this often while it may still change. */
const GLANCE_MS = 25
/** An application that never looks at the event changes nothing, however long one waits. */
const FIRST_CHANGE_WITHIN_MS = 1000
/** A state counts as settled after so many glances that saw the same. */
const CALM_GLANCES = 2
/** On a busy machine, this process may stand still for longer than the application has. */
const GLANCE_COUNTS_MS = 4 * GLANCE_MS

/** The time that the application has had, of which no stop of this process is a large part. */
class TimeHad {
  #at = performance.now()
  ms = 0

  glance(): void {
    const now = performance.now()
    this.ms += Math.min(now - this.#at, GLANCE_COUNTS_MS)
    this.#at = now
  }
}

/** The state of an application, in rounds: each round is about one event, and starts with the state as it is then. */
export class ObservedState {
  readonly #subjects: Subject[] = []
  #before = ''
  /** What one ordinary event changes; undefined as long as it is not known, or where it differs from event to event. */
  usual: ExpectedChange | undefined
  /** How long the state took to follow an ordinary event. */
  #followsMs = 0

  constructor(
    private readonly print: PrintState,
    private readonly withinMs: number,
  ) {}

  async begin(subject: Subject): Promise<void> {
    if (this.#subjects.at(-1)?.event !== subject.event) this.#subjects.push(subject)
    this.#before = await this.print(subject)
  }

  /** What changed since the round began; `ignoring` is the id of an event that may be written down without being used. */
  async change(ignoring?: string): Promise<Change> {
    const subject = this.#subjects.at(-1)
    const after = subject ? await this.print(subject) : ''
    const [one, other] = [this.#before, after].map(text =>
      ignoring === undefined ? text : withoutMentions(text, ignoring),
    )
    return changeBetween(one ?? '', other ?? '', text => this.#named(text))
  }

  /** The ids by what they are: those of earlier rounds have a number. */
  #named(text: string): string {
    let named = text
    for (const [at, subject] of this.#subjects.entries())
      for (const [name, id] of Object.entries(subject))
        named = named.replaceAll(id, at === this.#subjects.length - 1 ? `<${name}>` : `<${name} ${at + 1}>`)
    return named
  }

  /** Waits until the state has followed an ordinary event, and stays as it is. */
  async settle(): Promise<Change> {
    const startedAt = performance.now()
    const had = new TimeHad()
    let last = await this.change()
    for (let calm = 0; calm < CALM_GLANCES; ) {
      const withinMs = last.length > 0 ? this.withinMs : Math.min(this.withinMs, FIRST_CHANGE_WITHIN_MS)
      if (had.ms > withinMs) break
      await pause(GLANCE_MS)
      had.glance()
      const next = await this.change()
      const isSame = next.join() === last.join()
      if (!isSame) this.#followsMs = Math.max(this.#followsMs, performance.now() - startedAt)
      calm = isSame && next.length > 0 ? calm + 1 : 0
      last = next
    }
    return last
  }

  /** What changed instead of what should have; undefined if the state is as it should be, and stays so. */
  async otherThan(expected: ExpectedChange, ignoring?: string): Promise<Change | undefined> {
    const had = new TimeHad()
    for (;;) {
      const change = await this.change(ignoring)
      if (expected.matches(change)) break
      if (had.ms > this.withinMs) return change
      await pause(GLANCE_MS)
      had.glance()
    }
    // Work that goes on behind an answer may still change it.
    await pause(2 * (GLANCE_MS + this.#followsMs))
    const change = await this.change(ignoring)
    return expected.matches(change) ? undefined : change
  }
}
