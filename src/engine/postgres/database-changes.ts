import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import { type Numbered, openLine, sealLine } from '../journal/journal-format.ts'
import type { Change, ChangeLog } from '../store/change-log.ts'
import { demandWhole } from '../store/merchant-record.ts'
import { type Database, isRefusal, storeErrorOf, unavailableBy } from './database.ts'

interface Row {
  readonly name: string
  readonly seq: string
  readonly line: string
}

/** How often a write is tried if its connection is cut. */
const ATTEMPTS = 3

/**
 * The list of merchants, which all processes change and follow. Each change has a number. A process writes only if it
 * knows all changes before its own. Only the last change of each merchant is kept, so that the list does not grow.
 */
export class DatabaseChanges implements ChangeLog {
  #known = 0
  #onChange: (change: Change) => void = () => {}
  #catchingUp: Promise<void> | undefined

  constructor(
    private readonly database: Database,
    private readonly url: string,
  ) {}

  async read(onChange: (change: Change) => void): Promise<void> {
    this.#onChange = onChange
    // Merchants are listed in the order in which they were created.
    const { rows } = await this.database.ask<Row>('SELECT name, seq, line FROM list ORDER BY since')
    for (const row of rows) this.#take(row)
  }

  /** Reads what others have changed. Concurrent calls share one read, if it begins after them. */
  catchUp(): Promise<void> {
    this.#catchingUp ??= new Promise(setImmediate).then(() => {
      this.#catchingUp = undefined
      return this.#readTail().catch(cause => {
        throw storeErrorOf(cause)
      })
    })
    return this.#catchingUp
  }

  async #readTail(): Promise<void> {
    const { rows } = await this.database.ask<Row>(
      'SELECT name, seq, line FROM list WHERE seq > $1 ORDER BY seq',
      [this.#known],
    )
    for (const row of rows) if (Number(row.seq) > this.#known) this.#take(row)
  }

  #take({ seq, line }: Row): void {
    const { seq: _, v: __, ...change } = openLine<Numbered & Change>(line, Number(seq))
    if ('merchant' in change) demandWhole(this.url, change.merchant)
    this.#known = Math.max(this.#known, Number(seq))
    this.#onChange(change as Change)
  }

  async append(changes: readonly Change[]): Promise<boolean> {
    const from = this.#known
    const rows = new Map(changes.map((change, nth) => [nameOf(change), rowOf(change, from + nth + 1)]))
    const values = [from, from + changes.length, ...columnsOf([...rows.values()])]
    for (let attempt = 1; ; attempt++)
      try {
        if ((await this.database.ask(APPEND, values)).count > 0) {
          this.#known = from + changes.length
          return true
        }
        // If the connection was cut, an earlier attempt may have succeeded.
        if (attempt > 1 && (await this.#has([...rows.values()]))) {
          this.#known = from + changes.length
          return true
        }
        await this.#readTail()
        return false
      } catch (cause) {
        const isKnown = isRefusal(cause)
        if (isKnown || attempt === ATTEMPTS) throw unavailableBy('The list of merchants', cause, !isKnown)
      }
  }

  async #has(rows: readonly NamedLine[]): Promise<boolean> {
    const [first] = rows
    const { rows: found } = await this.database.ask<Row>(
      'SELECT name, seq, line FROM list WHERE name = $1 AND seq = $2',
      [first?.name, first?.seq],
    )
    return found[0]?.line === first?.line
  }

  async close(): Promise<void> {
    await this.#catchingUp?.catch(() => {})
  }
}

/** A removed merchant keeps its row, so that others learn of it. If it is created again, it comes last. */
const APPEND = `
  WITH moved AS (UPDATE list_end SET seq = $2 WHERE seq = $1 RETURNING 1)
  INSERT INTO list AS old (name, seq, since, gone, line)
  SELECT name, seq, seq, gone, line FROM unnest($3::text[], $4::bigint[], $5::boolean[], $6::text[])
    AS new (name, seq, gone, line), moved
  ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, gone = excluded.gone, line = excluded.line,
    since = CASE WHEN old.gone OR excluded.gone THEN excluded.since ELSE old.since END`

interface NamedLine {
  readonly name: string
  readonly seq: number
  readonly gone: boolean
  readonly line: string
}

const rowOf = (change: Change, seq: number): NamedLine => ({
  name: nameOf(change),
  seq,
  gone: 'removed' in change,
  line: sealLine(JSON.stringify({ v: JOURNAL_VERSION, seq, ...change })).trimEnd(),
})

const columnsOf = (rows: readonly NamedLine[]) => [
  rows.map(({ name }) => name),
  rows.map(({ seq }) => seq),
  rows.map(({ gone }) => gone),
  rows.map(({ line }) => line),
]

/** No merchant's id begins with a dot. */
function nameOf(change: Change): string {
  if ('merchant' in change) return change.merchant.id
  if ('removed' in change) return change.removed
  return `.${Object.keys(change)[0]}`
}
