import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Entry } from '../../../src/domain/events.ts'
import type { Account } from '../../../src/engine/account/account.ts'
import type { Checkpoints } from '../../../src/engine/checkpoint/checkpoints.ts'
import { openHistory } from '../../../src/engine/checkpoint/open-history.ts'
import { type Journal, MemoryJournal } from '../../../src/engine/journal/journal.ts'
import { openLine } from '../../../src/engine/journal/journal-format.ts'
import { must } from './must.ts'

/** Where the journal of a history is stored while its account is closed. */
export interface Shelf {
  /** Opens the stored journal, and replays its entries into the account. */
  open(
    account: Account,
  ): Promise<{ readonly journal: Journal; readonly checkpoints?: Checkpoints | undefined }>
  /** Shortens the journal, as a crash during a write does. */
  tear(bytes: number): Promise<void>
  close(): Promise<void>
}

export class MemoryShelf implements Shelf {
  #journal: MemoryJournal | undefined

  async open(account: Account) {
    const lines: string[] = []
    for await (const line of this.#journal?.lines() ?? []) lines.push(line)
    this.#journal = new MemoryJournal()
    for (const [at, line] of lines.entries()) {
      const entry = openLine<Entry>(line.slice(0, -1), at + 1)
      this.#journal.append(entry)
      account.applyEntry(entry)
    }
    return { journal: this.#journal }
  }

  async tear(): Promise<void> {}
  async close(): Promise<void> {}
}

export class FileShelf implements Shelf {
  #torn = 0
  private constructor(private readonly directory: string) {}

  static async make(): Promise<FileShelf> {
    return new FileShelf(await mkdtemp(join(tmpdir(), 'paysim-model-')))
  }

  get #path(): string {
    return join(this.directory, 'journal.jsonl')
  }

  async open(account: Account) {
    let said = 0
    const warn = () => said++
    // The sizes are so small that each history has many checkpoints, merges and segments.
    const history = await openHistory(account, this.directory, {
      sync: false,
      warn,
      every: 3,
      segmentBytes: 2000,
    })
    must(said === (this.#torn > 0 ? 1 : 0), 'a torn last line is said, and nothing else is')
    this.#torn = 0
    return history
  }

  async tear(bytes: number): Promise<void> {
    this.#torn = bytes
    const line = `{"v":1,"seq":1,"at":0,"by":"merchant","events":[{"type":"PaymentSucceeded","payment":"pi_${'x'.repeat(400)}`
    await appendFile(this.#path, line.slice(0, bytes))
  }

  async close(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true })
  }
}
