import { setTimeout as pause } from 'node:timers/promises'
import { isRecord } from '../contract/json.ts'

/** The ids that an event is about. */
export interface Subject {
  readonly event: string
  readonly payment: string
  readonly reference: string
}

/** Prints the state of an application, as a whole or of one payment. */
export type PrintState = (subject: Subject) => Promise<string>

type Change = readonly string[]

/** The pause between two readings of the state, while it may still change. */
const READING_PAUSE_MS = 25
/** If nothing changes within this time, the application probably ignores the event. */
const FIRST_CHANGE_WITHIN_MS = 1000
/** A state counts as settled if so many further readings are the same. */
const EQUAL_READINGS = 2
/** The time between two readings counts only up to this, because a busy machine may stop this process for long. */
const LONGEST_COUNTED_MS = 4 * READING_PAUSE_MS

/** The time that the application has had, without most of the time in which this process was stopped. */
class TimeGiven {
  #at = performance.now()
  ms = 0

  count(): void {
    const now = performance.now()
    this.ms += Math.min(now - this.#at, LONGEST_COUNTED_MS)
    this.#at = now
  }
}

/** The state of an application, in rounds: each round is about one event, and starts with the state as it is then. */
export class ObservedState {
  readonly #subjects: Subject[] = []
  #before = ''
  /** What one ordinary event changes; undefined if that is not known yet, or differs from event to event. */
  usual: ExpectedChange | undefined
  /** How long the state took to change after an ordinary event. */
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

  /** Replaces ids by what they identify. The ids of earlier rounds get a number. */
  #named(text: string): string {
    let named = text
    for (const [at, subject] of this.#subjects.entries())
      for (const [name, id] of Object.entries(subject))
        named = named.replaceAll(id, at === this.#subjects.length - 1 ? `<${name}>` : `<${name} ${at + 1}>`)
    return named
  }

  /** Waits until an ordinary event has changed the state, and the state stays the same. */
  async settle(): Promise<Change> {
    const startedAt = performance.now()
    const had = new TimeGiven()
    let last = await this.change()
    for (let calm = 0; calm < EQUAL_READINGS; ) {
      const withinMs = last.length > 0 ? this.withinMs : Math.min(this.withinMs, FIRST_CHANGE_WITHIN_MS)
      if (had.ms > withinMs) break
      await pause(READING_PAUSE_MS)
      had.count()
      const next = await this.change()
      const isSame = next.join() === last.join()
      if (!isSame) this.#followsMs = Math.max(this.#followsMs, performance.now() - startedAt)
      calm = isSame && next.length > 0 ? calm + 1 : 0
      last = next
    }
    return last
  }

  /** What changed, if that is not what was expected; undefined if the state is as expected, and stays so. */
  async otherThan(expected: ExpectedChange, ignoring?: string): Promise<Change | undefined> {
    const had = new TimeGiven()
    for (;;) {
      const change = await this.change(ignoring)
      if (expected.matches(change)) break
      if (had.ms > this.withinMs) return change
      await pause(READING_PAUSE_MS)
      had.count()
    }
    // The application may work after it has answered, and that may still change the state.
    await pause(2 * (READING_PAUSE_MS + this.#followsMs))
    const change = await this.change(ignoring)
    return expected.matches(change) ? undefined : change
  }
}

/**
 * What changed between two texts that the same command printed, in a form that does not depend on which payment it was
 * about: ids have the names that the caller gives them, and points in time are left out. Empty if nothing changed.
 */
function changeBetween(before: string, after: string, nameOf: (text: string) => string): readonly string[] {
  const [one, other] = [before, after].map(text => readState(nameOf(text)))
  return diff(one, other, '').map(line => line.replace(/<(\w+) \d+>/g, '<earlier $1>'))
}

/** The text without everything that mentions an id, because an application may record an event that it ignores. */
function withoutMentions(text: string, id: string): string {
  if (!text.includes(id)) return text
  try {
    return JSON.stringify(pruned(JSON.parse(text), id))
  } catch {
    return linesOf(text)
      .filter(line => !line.includes(id))
      .join('\n')
  }
}

function pruned(value: unknown, id: string): unknown {
  const isAbout = (part: unknown) => typeof part === 'string' && part.includes(id)
  const isRowAbout = (part: unknown) => isRecord(part) && Object.values(part).some(isAbout)
  if (Array.isArray(value))
    return value.filter(part => !isAbout(part) && !isRowAbout(part)).map(part => pruned(part, id))
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([key, part]) => !key.includes(id) && !isAbout(part))
  return Object.fromEntries(kept.map(([key, part]) => [key, pruned(part, id)]))
}

const linesOf = (text: string) => text.trimEnd().split(/\r?\n/)

/** JSON as it is, and any other text as its lines. */
function readState(text: string): unknown {
  try {
    return withoutTimes(JSON.parse(text))
  } catch {
    return linesOf(text).map(line => withoutTimes(line))
  }
}

const INSTANT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g
const MADE_UP_ID =
  /\b[a-z]+_[0-9A-Za-z]{12,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const DAY_S = 24 * 60 * 60

/** Removes what differs each time and means nothing: points in time, and the ids that an application generates. */
function withoutTimes(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(INSTANT, '<time>').replace(MADE_UP_ID, '<id>')
  if (typeof value === 'number') return isNow(value) || isNow(value / 1000) ? '<time>' : value
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutTimes(part)]))
}

const isNow = (seconds: number) => Math.abs(seconds - Date.now() / 1000) < DAY_S

const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing'
const below = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

function diff(one: unknown, other: unknown, path: string): string[] {
  if (shown(one) === shown(other)) return []
  if (isRecord(one) && isRecord(other))
    return [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .sort()
      .flatMap(key => diff(one[key], other[key], below(path, key)))
  if (Array.isArray(one) && Array.isArray(other)) return diffLists(one, other, path)
  const at = path === '' ? '' : `${path}: `
  if (typeof one === 'number' && typeof other === 'number') return [`${at}${signed(other - one)}`]
  if (typeof one === 'string' && typeof other === 'string') {
    const steps = stepsBetween(one, other)
    if (steps) return steps.map(step => `${at}${step}`)
  }
  if (one === undefined) return [`${at}added ${shown(other)}`]
  if (other === undefined) return [`${at}removed ${shown(one)}`]
  return [`${at}${shown(one)} became ${shown(other)}`]
}

/** Compares lists of equal length, and the lines of texts, item by item; other lists by what was added and removed. */
function diffLists(one: readonly unknown[], other: readonly unknown[], path: string): string[] {
  if (one.length === other.length)
    return one.flatMap((part, at) => diff(part, other[at], below(path, String(at))))
  const left = other.map(shown)
  const removed = one.map(shown).filter(part => {
    const at = left.indexOf(part)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  const at = path === '' ? '' : `${path}: `
  return [...removed.map(part => `${at}removed ${part}`), ...left.map(part => `${at}added ${part}`)]
}

const signed = (step: number) => (step < 0 ? String(step) : `+${step}`)

/** By how much each number grew, if two texts differ only in their numbers; otherwise undefined. */
function stepsBetween(one: string, other: string): string[] | undefined {
  const parts = (text: string) => text.split(/(\d+)/)
  const [a, b] = [parts(one), parts(other)]
  if (a.length !== b.length || a.some((part, at) => at % 2 === 0 && part !== b[at])) return undefined
  return a.flatMap((part, at) => {
    if (part === b[at]) return []
    return [`${(a[at - 1] ?? '').trim()} ${signed(Number(b[at]) - Number(part))}`.trim()]
  })
}

/** What an event must change. */
export class ExpectedChange {
  static readonly nothing = new ExpectedChange([], new Set())

  private constructor(
    readonly lines: readonly string[],
    /** Numbers that differ from event to event, such as that of a row. */
    private readonly varies: ReadonlySet<number>,
  ) {}

  static exactly(lines: readonly string[]): ExpectedChange {
    return new ExpectedChange(lines, new Set())
  }

  /** What two like events changed; undefined if they differ in more than numbers. */
  static from(one: readonly string[], other: readonly string[]): ExpectedChange | undefined {
    const [a, b] = [tokensOf(one), tokensOf(other)]
    if (a.length !== b.length || a.some((part, at) => at % 2 === 0 && part !== b[at])) return undefined
    return new ExpectedChange(other, new Set(a.flatMap((part, at) => (part === b[at] ? [] : [at]))))
  }

  matches(change: readonly string[]): boolean {
    const [known, found] = [tokensOf(this.lines), tokensOf(change)]
    return (
      known.length === found.length &&
      found.every((part, at) => part === known[at] || (at % 2 === 1 && this.varies.has(at)))
    )
  }
}

const tokensOf = (change: readonly string[]) => change.join('\n').split(/(\d+)/)
