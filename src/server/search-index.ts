import { type DomainEvent, recordsOf } from '../domain/events.ts'
import { comparePositions, FROM_THE_BOTTOM, FROM_THE_TOP, type Position } from '../domain/list-index.ts'
import { firstOf, type Item, type ListedRecords } from '../domain/table.ts'
import type { World } from '../domain/world.ts'
import type { Account } from '../engine/account/account.ts'
import { Slice } from '../engine/time/scheduling.ts'

/** What an index has of a record. */
interface Shape<R> {
  readonly list: (account: Account) => ListedRecords<R>
  /** The texts that are searched, besides the id. */
  readonly texts: (record: R, world: World) => readonly (string | null | undefined)[]
  /** What records have in common and are filtered by: the facets of their list, and then more. */
  readonly group: (record: R, world: World) => readonly string[]
  /** Whether an event changes records that it does not name. */
  readonly changesOthers?: (event: DomainEvent) => boolean
}

/** What is searched for. */
interface Search {
  /** A part of one of the texts, in any case; undefined for all records. */
  readonly text: string | undefined
  readonly group: (group: readonly string[]) => boolean
  /** From a position to before another one. */
  readonly from?: Position
  readonly to?: Position
}

interface Found<R> {
  readonly total: number
  /** Whether all records were looked through. */
  readonly exact: boolean
  /** Those that were asked for, newest first. */
  readonly items: readonly Item<R>[]
}

/** After each so many slices of a few milliseconds, a search may be answered from the part of the index that there is. */
const SLICES_OF_A_PART = 20
/** How many records are in one piece, or up to twice as many. */
const PIECE = 1024
/** Neither byte is in any text in UTF-8. */
const END_OF_TEXT = '\xff'
const END_OF_RECORD = '\xfe'

/** Each byte of a text in UTF-8 as a character, which V8 keeps in one byte. */
const bytesOf = (text: string) => Buffer.from(text.toLowerCase()).toString('latin1')

/**
 * The texts of an account's records, one after another in the order of their list. To look through those of 100,000 takes
 * some milliseconds, so any part of any text is found. It is made for the first search, and then follows each change. A record
 * takes 28 bytes and those of its texts: about 90 for a payment with a reference and the name of a customer.
 */
export class SearchIndex<R> {
  /** The oldest first. */
  #pieces: Piece[] = []
  readonly #groups = new Groups()
  #making: Promise<void> | undefined
  /** What was made of it so far, the newest first. */
  #begun: readonly Piece[] = []
  /** Goes on with the searches for which a part is enough. */
  #answerSome: (() => void)[] = []
  /** The records that changed while the index was made. */
  #changed: Set<string> | undefined

  constructor(
    private readonly account: Account,
    private readonly shape: Shape<R>,
    private readonly pieceSize = PIECE,
  ) {
    account.onEntry(({ events }) => {
      if (!this.#making) return
      if (shape.changesOthers && events.some(shape.changesOthers)) this.#forget()
      else for (const id of new Set(events.flatMap(recordsOf))) this.#note(id)
    })
    // Another history, or one that was taken back, is read again for the next search.
    account.onReplaced(() => this.#forget())
    account.onResume(() => this.#forget())
  }

  get #list(): ListedRecords<R> {
    return this.shape.list(this.account)
  }

  #whole(): Promise<void> {
    this.#making ??= this.#make().catch(cause => {
      this.#forget()
      throw cause
    })
    return this.#making
  }

  #forget(): void {
    this.#making = undefined
    this.#changed = undefined
    this.#pieces = []
    this.#begun = []
  }

  /**
   * How many records fit, and `limit` of them after the `offset` newest ones. While the index is made, a part of it may be
   * enough: the newest records.
   */
  async find(search: Search, offset: number, limit: number, isPartEnough = false): Promise<Found<R>> {
    const isMade = () => this.#making !== undefined && !this.#changed
    // What was made may have been forgotten again.
    while (!isMade()) {
      const whole = this.#whole()
      if (!isPartEnough) await whole
      else {
        await Promise.race([whole, new Promise<void>(resolve => this.#answerSome.push(resolve))])
        break
      }
    }
    const exact = isMade()
    const pieces = exact ? this.#pieces.toReversed() : this.#begun
    const { text, from = FROM_THE_BOTTOM, to = FROM_THE_TOP } = search
    const bytes = text === undefined ? undefined : bytesOf(text)
    const isWanted = this.#groups.matching(search.group)
    const items: Item<R>[] = []
    let total = 0
    for (const piece of pieces) {
      if (!piece.reaches(from, to)) continue
      const found = piece.find(bytes, isWanted, from, to)
      for (let nth = offset - total; nth < found.length && items.length < limit; nth++) {
        const place = nth < 0 ? undefined : found[found.length - 1 - nth]
        if (place !== undefined) items.push(...this.#itemAt(piece.entryAt(place)))
      }
      total += found.length
    }
    return { total, exact, items }
  }

  #itemAt({ at, ordinal, group }: Entry): Item<R>[] {
    const own = this.#groups.names[group] ?? []
    const isOwn = (facets: readonly string[]) => facets.every((facet, nth) => facet === own[nth])
    return firstOf(this.#list.below({ at, ordinal: ordinal + 1 }, isOwn), 1)
  }

  async #make(): Promise<void> {
    const changed = new Set<string>()
    this.#changed = changed
    const pieces: Piece[] = []
    this.#begun = pieces
    let entries: Entry[] = []
    // A piece at a time, since to make all of them at the end would be long work without a pause.
    const endPiece = () => {
      if (entries.length > 0) pieces.push(Piece.packed(entries.reverse()))
      entries = []
    }
    const slice = new Slice()
    let slices = 0
    for (let from: Position | undefined = FROM_THE_TOP; from; ) {
      // From the list as it is now: a checkpoint may have moved its records since the last slice.
      const below: Iterable<Item<R>> = this.#list.below(from, () => true)
      from = undefined
      for (const item of below) {
        if (entries.push(this.#entryOf(item)) >= this.pieceSize) endPiece()
        if (!slice.isOver) continue
        from = item
        break
      }
      await slice.next()
      if (this.#changed !== changed) return
      if (++slices % SLICES_OF_A_PART === 0) for (const goOn of this.#answerSome.splice(0)) goOn()
    }
    endPiece()
    this.#pieces = pieces.reverse()
    this.#begun = []
    this.#changed = undefined
    for (const id of changed) this.#note(id)
  }

  #note(id: string): void {
    if (this.#changed) {
      this.#changed.add(id)
      return
    }
    const item = this.#list.item(id)
    if (item) this.#put(this.#entryOf(item))
  }

  #put(entry: Entry): void {
    let nth = this.#pieces.length - 1
    while (nth > 0 && this.#pieces[nth]?.startsAfter(entry)) nth--
    const piece = this.#pieces[nth]
    if (
      !piece ||
      (nth === this.#pieces.length - 1 && piece.size >= this.pieceSize && piece.endsBefore(entry))
    )
      this.#pieces.push(new Piece([entry]))
    else {
      piece.put(entry)
      if (piece.size > 2 * this.pieceSize) this.#pieces.splice(nth, 1, ...piece.halves())
    }
  }

  #entryOf({ id, at, ordinal, record }: Item<R>): Entry {
    const { world } = this.account
    const texts = [id, ...this.shape.texts(record, world).filter(text => text)]
    return {
      at,
      ordinal,
      group: this.#groups.numberOf(this.shape.group(record, world)),
      text: texts.map(text => bytesOf(text ?? '')).join(END_OF_TEXT),
    }
  }
}

/** The combinations that occur, each by a number. */
class Groups {
  readonly names: (readonly string[])[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(group: readonly string[]): number {
    const key = group.join('|')
    const found = this.#numbers.get(key)
    if (found !== undefined) return found
    this.#numbers.set(key, this.names.length)
    return this.names.push(group) - 1
  }

  /** Whether each of them fits. */
  matching(fits: Search['group']): readonly boolean[] {
    return this.names.map(fits)
  }
}

interface Entry extends Position {
  readonly group: number
  readonly text: string
}

/** Some records that follow each other, in columns. */
class Piece {
  readonly #at: number[]
  readonly #ordinal: number[]
  readonly #group: number[]
  /** Undefined while they are packed. */
  #texts: string[] | undefined
  #packed = ''
  #starts = new Uint32Array()

  /** In the order of the list. */
  constructor(entries: readonly Entry[]) {
    this.#at = entries.map(({ at }) => at)
    this.#ordinal = entries.map(({ ordinal }) => ordinal)
    this.#group = entries.map(({ group }) => group)
    this.#texts = entries.map(({ text }) => text)
  }

  static packed(entries: readonly Entry[]): Piece {
    const piece = new Piece(entries)
    piece.#pack()
    return piece
  }

  get size(): number {
    return this.#at.length
  }

  entryAt(nth: number): Entry {
    const text = this.#texts?.[nth] ?? this.#packed.slice(this.#starts[nth], (this.#starts[nth + 1] ?? 0) - 1)
    return { at: this.#at[nth] ?? 0, ordinal: this.#ordinal[nth] ?? 0, group: this.#group[nth] ?? 0, text }
  }

  halves(): Piece[] {
    const all = this.#at.map((_, nth) => this.entryAt(nth))
    const middle = all.length >> 1
    return [new Piece(all.slice(0, middle)), new Piece(all.slice(middle))]
  }

  #compare(nth: number, { at, ordinal }: Position): number {
    return (this.#at[nth] ?? 0) - at || (this.#ordinal[nth] ?? 0) - ordinal
  }

  startsAfter(position: Position): boolean {
    return this.#compare(0, position) > 0
  }

  endsBefore(position: Position): boolean {
    return this.#compare(this.size - 1, position) < 0
  }

  /** Whether it may have records in this range. */
  reaches(from: Position, to: Position): boolean {
    return !this.endsBefore(from) && comparePositions(this.entryAt(0), to) < 0
  }

  /** Adds a record, or puts it in the place of its earlier version. */
  put(entry: Entry): void {
    const nth = this.#firstFrom(entry)
    const isThere = nth < this.size && this.#compare(nth, entry) === 0
    if (isThere && this.entryAt(nth).text === entry.text) {
      this.#group[nth] = entry.group
      return
    }
    this.#texts ??= this.#at.map((_, each) => this.entryAt(each).text)
    const replaced = isThere ? 1 : 0
    this.#at.splice(nth, replaced, entry.at)
    this.#ordinal.splice(nth, replaced, entry.ordinal)
    this.#group.splice(nth, replaced, entry.group)
    this.#texts.splice(nth, replaced, entry.text)
  }

  #firstFrom(position: Position): number {
    let [low, high] = [0, this.size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, position) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The places of the records that fit, in the order of the list. */
  find(text: string | undefined, isWanted: readonly boolean[], from: Position, to: Position): number[] {
    const [start, end] = [this.#firstFrom(from), this.#firstFrom(to)]
    const found: number[] = []
    if (text === undefined) {
      for (let nth = start; nth < end; nth++) if (isWanted[this.#group[nth] ?? 0]) found.push(nth)
      return found
    }
    this.#pack()
    const starts = this.#starts
    let nth = start
    for (
      let hit = this.#packed.indexOf(text, starts[start]);
      hit >= 0;
      hit = this.#packed.indexOf(text, starts[nth])
    ) {
      while ((starts[nth + 1] ?? Number.POSITIVE_INFINITY) <= hit) nth++
      if (nth >= end) break
      if (isWanted[this.#group[nth] ?? 0]) found.push(nth)
      nth++
    }
    return found
  }

  #pack(): void {
    if (!this.#texts) return
    this.#starts = new Uint32Array(this.size + 1)
    let start = 0
    this.#texts.forEach((text, nth) => {
      start += text.length + END_OF_RECORD.length
      this.#starts[nth + 1] = start
    })
    this.#packed = Buffer.from(`${this.#texts.join(END_OF_RECORD)}${END_OF_RECORD}`, 'latin1').toString(
      'latin1',
    )
    this.#texts = undefined
  }
}
