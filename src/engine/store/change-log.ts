import type { FileHandle } from 'node:fs/promises'
import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import { type Numbered, sealLine } from '../journal/journal-format.ts'
import { replay } from '../journal/replay.ts'
import { demandWhole, type MerchantRecord } from './merchant-record.ts'
import { openPrivate, replaceFile, succeeds, writeAll } from './private-files.ts'
import { UnavailableError } from './store-errors.ts'

/** One change of the list of merchants. */
export type Change =
  | { readonly merchant: MerchantRecord }
  | { readonly removed: string }
  /** The last port: with `--port 0` the server uses it again, so that page addresses stay valid. */
  | { readonly lastPort: number }
  /** How many merchant ids paysim has generated, so that no id is used twice. */
  | { readonly merchantsMade: number }

export interface WholeList {
  /** How many merchants it has. */
  readonly size: number
  /** The list as the fewest changes that make it. */
  readonly list: readonly Change[]
}

/** Where the list of merchants is kept, as its changes. */
export interface ChangeLog {
  /** Calls back with every change, the oldest first, and later with each one that another process makes. */
  read(onChange: (change: Change) => void): Promise<void>
  /** Reads what other processes have changed. Without it, there are none. */
  catchUp?(): Promise<void>
  /** Whether the next start may find a change that was refused. The next append removes it, even one without changes. */
  readonly inDoubt?: boolean
  /**
   * Resolves when all of these are safe; if it rejects, none is, unless the error says that this is in doubt. False if
   * others have changed the list meanwhile: then nothing was written, and their changes have been read. `whole`
   * is the list without the new changes.
   */
  append(changes: readonly Change[], whole: WholeList): Promise<boolean>
  close(): Promise<void>
}

/** For a simulator that keeps nothing. */
export class MemoryChanges implements ChangeLog {
  async read(): Promise<void> {}
  async append(): Promise<boolean> {
    return true
  }
  async close(): Promise<void> {}
}

interface ChangeFileOptions {
  readonly path: string
  readonly sync: boolean
  readonly warn: (message: string) => void
  readonly readOnly?: boolean
  /** Awaited before each write. */
  readonly beforeWrite?: () => Promise<void> | undefined
  /** Called at the end, if everything is safe. */
  readonly onClosed?: () => Promise<void>
}

/** The file is rewritten when it has two lines for each merchant and this many more. */
const MOST_STALE_LINES = 1_000

/** The changes of the list of merchants in a file, one line with a checksum for each. */
export class ChangeFile implements ChangeLog {
  #handle: FileHandle | undefined
  #seq = 0
  #end = 0
  /** Whether a failed write may have left changes at the end of the file. */
  #inDoubt = false
  /** Whether everything was read. */
  #isWhole = false

  constructor(private readonly options: ChangeFileOptions) {}

  async read(onChange: (change: Change) => void): Promise<void> {
    const { path, warn, readOnly } = this.options
    this.#handle = await openPrivate(path, 'append')
    const onEntry = ({ seq: _, v: __, ...change }: Numbered & Change) => {
      if ('merchant' in change) demandWhole(path, change.merchant)
      onChange(change as Change)
    }
    const { seq, end } = await replay<Numbered & Change>(path, this.#handle, { onEntry, warn, readOnly })
    this.#seq = seq
    this.#end = end
    this.#isWhole = true
  }

  get inDoubt(): boolean {
    return this.#inDoubt
  }

  async append(changes: readonly Change[], whole: WholeList): Promise<boolean> {
    try {
      await this.options.beforeWrite?.()
      if (this.#seq > MOST_STALE_LINES + 2 * whole.size) await this.writeAnew(whole.list)
      this.#handle ??= await openPrivate(this.options.path, 'append')
      if (this.#inDoubt) await this.#handle.truncate(this.#end)
      const bytes = Buffer.from(changes.map((change, nth) => lineOf(this.#seq + nth + 1, change)).join(''))
      await writeAll(this.#handle, bytes)
      if (this.options.sync) await this.#handle.datasync()
      this.#inDoubt = false
      this.#seq += changes.length
      this.#end += bytes.length
      return true
    } catch (cause) {
      // Even on a full disk a file can be shortened; if that fails too, it is done later.
      const shortened = this.#handle?.truncate(this.#end)
      this.#inDoubt = shortened !== undefined && !(await succeeds(shortened))
      throw new UnavailableError('The list of merchants', cause, this.#inDoubt)
    }
  }

  /** Replaces the file. */
  async writeAnew(list: readonly Change[]): Promise<void> {
    const lines = list.map((change, nth) => lineOf(nth + 1, change))
    const fresh = await replaceFile(this.options.path, lines, async handle => handle)
    const before = this.#handle
    this.#handle = fresh
    this.#seq = list.length
    this.#end = Buffer.byteLength(lines.join(''))
    await before?.close()
  }

  async close(): Promise<void> {
    await this.#handle?.close()
    this.#handle = undefined
    if (this.#isWhole && !this.#inDoubt) await this.options.onClosed?.()
  }
}

const lineOf = (seq: number, change: Change) =>
  sealLine(JSON.stringify({ v: JOURNAL_VERSION, seq, ...change }))
