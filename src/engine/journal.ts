import { crc32 } from 'node:zlib'
import type { Entry } from '../domain/events.ts'

/** Where an account's entries are kept, in order. The journal is the truth: the world is what it adds up to. */
export interface Journal {
  append(entry: Entry): void
  /** Resolves once the entry is as safe as the journal makes it; undefined where it is already. */
  durable(seq: number): Promise<void> | undefined
  /** The entries that name a record, oldest first. */
  history(id: string): Promise<Entry[]>
  /** Every entry as its line. */
  lines(): AsyncIterable<string>
  /** After a failed write: everything up to the last safe entry, replayed in order. */
  rollBack(onEntry: (entry: Entry) => void): Promise<void>
  /** After a failed write: resolves if the medium takes writes again. */
  tryAgain(): Promise<void>
  /** What names are made from, where that is not the account's first seed. */
  readonly seed: string | undefined
  /** Starts again with these entries only, and with names made from this seed. All of it happens, or none. */
  replace(entries: readonly Entry[], seed: string): Promise<void>
  close(): Promise<void>
}

const texts = new WeakMap<Entry, string>()

/** An entry as JSON, made once for the journal and for whoever listens. */
export function entryText(entry: Entry): string {
  let text = texts.get(entry)
  if (text === undefined) {
    text = JSON.stringify(entry)
    texts.set(entry, text)
  }
  return text
}

/** The entry as a line of its own. */
export const writeLine = (entry: Entry) => sealLine(entryText(entry))

/** The entry on a line; throws with what is wrong with it. */
export function readLine(line: string, expectedSeq: number): Entry {
  return openLine<Entry>(line, expectedSeq)
}

/** What every line of ours has: the version of its form, and its number. */
export interface Numbered {
  readonly v: 1
  readonly seq: number
}

/** A line carries a checksum of itself, so that damage is found where it is and not by what it causes. */
export const sealLine = (json: string) => `${json.slice(0, -1)},"crc":"${checksum(json.slice(0, -1))}"}\n`

const TAIL = /,"crc":"([0-9a-f]{8})"\}$/

/** What a sealed line says; throws with what is wrong with it. */
export function openLine<T extends Numbered>(line: string, expectedSeq: number): T {
  const tail = TAIL.exec(line)
  if (!tail) throw new Error('it does not end like a journal line')
  if (checksum(line.slice(0, tail.index)) !== tail[1]) throw new Error('its checksum does not match')
  const { crc: _, ...said } = JSON.parse(line) as T & { crc: string }
  if (said.v !== 1) throw new Error(`its version is ${said.v}, which this version of paysim cannot read`)
  if (said.seq !== expectedSeq) throw new Error(`its number is ${said.seq}, but ${expectedSeq} was expected`)
  return said as unknown as T
}

/** How a line that no line feed ends came to be: whole but for that, cut off while it was written, or damaged since. */
export function endOf(line: string): 'whole' | 'torn' | 'damaged' {
  if (TAIL.test(line)) return 'whole'
  return /,"crc":"[0-9a-f]{8}"\}/.test(line) ? 'damaged' : 'torn'
}

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0')

/** The records that an entry names. */
export function namesIn(entry: Entry): Set<string> {
  const names = new Set<string>()
  for (const event of entry.events) {
    for (const field of ['payment', 'payout', 'asset', 'delivery', 'event', 'endpoint'] as const) {
      const name = (event as unknown as Record<string, unknown>)[field]
      if (typeof name === 'string') names.add(name)
    }
    if (event.type === 'EventEmitted') {
      names.add('payment' in event.subject ? event.subject.payment : event.subject.payout)
    }
  }
  return names
}

/** Which places in a journal name which record. Built when first asked for, then kept up. */
export class HistoryIndex<Spot> {
  readonly #spots = new Map<string, Spot[]>()

  note(entry: Entry, spot: Spot): void {
    for (const name of namesIn(entry)) {
      const spots = this.#spots.get(name)
      if (spots) spots.push(spot)
      else this.#spots.set(name, [spot])
    }
  }

  of(id: string): readonly Spot[] {
    return this.#spots.get(id) ?? []
  }
}
