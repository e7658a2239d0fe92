import type { MerchantRecord } from './merchant-record.ts'

/** One change of the list of merchants. */
export type Change =
  | { readonly merchant: MerchantRecord }
  | { readonly removed: string }
  /** The last port: with `--port 0` the server uses it again, so that page addresses stay valid. */
  | { readonly lastPort: number }
  /** How many merchant ids paysim has generated, so that no id is used twice. */
  | { readonly merchantsMade: number }
  /** The time of each account with a running clock when the server stopped. */
  | { readonly stopped: Readonly<Record<string, number>> }

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
