import type { RealClocks } from '../time/real-time.ts'
import { MemoryStore, type Store } from './store.ts'
import { isOfDisk, StartError, UnavailableError } from './store-errors.ts'

/** Where everything is kept. */
export interface StoreLocation {
  /** Null keeps everything in memory, unless there is a database. */
  readonly dataDir: string | null
  /** The address of a PostgreSQL database, which is used instead of a directory or the memory. */
  readonly database?: string | undefined
}

export interface StoreSettings {
  /** Whether each answer waits until its change survives a power failure. */
  readonly sync: boolean
  /** How long entries that a checkpoint has are kept, in wall time; forever by default. */
  readonly historyMs?: number | undefined
  /** Refuses a place that has no data yet, and creates nothing there. */
  readonly mustExist?: boolean
  /** Changes nothing in a directory; whatever a start would pass over or remove is only said. */
  readonly readOnly?: boolean
  /** Refuses a database that another process serves, as every directory does. */
  readonly exclusive?: boolean
  readonly time: RealClocks
  readonly warn: (message: string) => void
}

export async function openStore(
  { dataDir, database }: StoreLocation,
  { sync, historyMs, mustExist = false, readOnly = false, exclusive = false, time, warn }: StoreSettings,
): Promise<Store> {
  if (database !== undefined) {
    if (historyMs !== undefined)
      throw new StartError('--history is for files; a database keeps every entry', 2)
    // Loaded late: it brings a driver, which most starts do not need.
    const { DatabaseStore } = await import('../postgres/database-store.ts')
    return DatabaseStore.claim(database, { sync, mustExist, exclusive, time, warn })
  }
  if (dataDir === null) return new MemoryStore()
  // Loaded late, because a store in memory needs nothing of it.
  const { DataDirectory } = await import('./data-directory.ts')
  const history = historyMs === undefined ? undefined : { forMs: historyMs, wall: time.wall }
  return DataDirectory.claim(dataDir, { sync, history, wall: time.wall, mustExist, readOnly, warn })
}

/** Says what to do about a full or failing disk. */
export const refusedBy =
  ({ dataDir, database }: StoreLocation) =>
  (cause: unknown): never => {
    const refused = cause instanceof UnavailableError ? cause.cause : cause
    if (dataDir === null || database !== undefined || !isOfDisk(refused)) throw cause
    throw new StartError(
      `the data directory ${dataDir} cannot be used: ${refused.message}; ${remedy(refused)}, or use another --data`,
    )
  }

function remedy({ message }: Error): string {
  if (/^(ENOSPC|EDQUOT):/.test(message)) return 'make room there'
  return message.startsWith('EROFS:') ? 'mount it writable' : 'check that disk'
}
