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

/** Where the list of merchants is kept, as its changes. */
export interface ChangeLog {
  /** Calls back with every change, the oldest first. */
  read(onChange: (change: Change) => void): Promise<void>
  /**
   * Resolves when all of these are safe; if it rejects, none is, unless the error says that this is in doubt. `list` is the list without them, as the fewest
   * changes that make it.
   */
  append(changes: readonly Change[], list: () => readonly Change[]): Promise<void>
  close(): Promise<void>
}

/** For a simulator that keeps nothing. */
export class MemoryChanges implements ChangeLog {
  async read(): Promise<void> {}
  async append(): Promise<void> {}
  async close(): Promise<void> {}
}
