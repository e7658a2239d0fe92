import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Account } from '../account/account.ts'
import { Checkpoints, ENTRIES_A_CHECKPOINT } from '../checkpoint/checkpoints.ts'
import { digestOf, type ImageStore } from '../store/image-store.ts'
import type { RealClocks } from '../time/real-time.ts'
import { CheckpointCopy } from './checkpoint-copy.ts'
import { type Database, storeErrorOf, unavailableBy } from './database.ts'
import { DatabaseJournal, type JournalHead } from './database-journal.ts'

/**
 * How many checkpoints' worth of entries are read until one is written meanwhile, for which the reading waits. Usually
 * there are fewer than two, and it is written when the account is open.
 */
const TAIL = 4

/**
 * Times are rounded down to this: a process that looks too early finds nothing due yet, and a row whose time does
 * not change needs no new entry in the index.
 */
const ROUND_MS = 60_000

function wakeMinute(account: Account, now: number): number | null {
  const at = account.wakeAt(now)
  return at === null ? null : Math.floor(at / ROUND_MS) * ROUND_MS
}

interface OpenSettings {
  readonly writer: number
  readonly standing: JournalHead
  /** The names of the files of its last checkpoint, as the database has them. */
  readonly checkpoint: string | null
  /** An empty folder of this process. */
  readonly folder: string
  readonly time: RealClocks
  readonly every?: number
  readonly onLost: () => void
  readonly warn: (message: string) => void
}

/** Copies an account's last checkpoint here, then reads the entries after it. */
export async function openAccount(
  account: Account,
  database: Database,
  { writer, standing, checkpoint, folder, time, every = ENTRIES_A_CHECKPOINT, onLost, warn }: OpenSettings,
) {
  const journal = new DatabaseJournal(database, {
    account: account.id,
    writer,
    standing,
    monotonic: time.monotonic,
    wakeAt: () => wakeMinute(account, time.wall()),
    onFailure: account.stall,
    onLost,
    onClose: async () => {
      await copy.close()
      await rm(folder, { recursive: true, force: true })
    },
  })
  const copy = new CheckpointCopy(database.ask, { account: account.id, writer }, checkpoint)
  // Another edition is another history, and has its own folder.
  const present = () => join(folder, `past-${journal.edition}`)
  let checkpoints: Checkpoints | undefined
  try {
    await mkdir(present(), { recursive: true, mode: 0o700 })
    await copy.fetch(present())
    checkpoints = await Checkpoints.open({
      folder: present,
      every,
      hashSeed: crc32(account.seed),
      durable: seq => journal.durable(seq),
      onWritten: () => copy.keep(present()),
      warn,
      openRecords: copy.openRecords,
    })
    account.continueFrom(checkpoints.world())
    const known = checkpoints.seq
    await journal.read(entry => {
      account.applyEntry(entry)
      return checkpoints?.noteEntry(0, TAIL * every)
    }, known)
    await checkpoints.sweep()
    if (standing.last - known >= every) void checkpoints.begin()
    // This runs while calls are answered.
    void copy.unpack().catch(cause => warn(`${folder}: records stay packed, and are read slowly: ${cause}`))
    return { journal, checkpoints }
  } catch (cause) {
    await checkpoints?.close()
    await journal.close()
    throw cause
  }
}

/** The images of one account. They are named by their content, so it does not matter who wrote one. */
export class DatabaseImages implements ImageStore {
  constructor(
    private readonly database: Database,
    private readonly account: string,
  ) {}

  async put(digest: string, pieces: readonly Buffer[]): Promise<void> {
    try {
      await this.database.ask('INSERT INTO images VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        this.account,
        digest,
        Buffer.concat(pieces),
      ])
    } catch (cause) {
      throw unavailableBy('The image', cause)
    }
  }

  async get(digest: string): Promise<Buffer | undefined> {
    const { rows } = await this.database
      .ask<{ bytes: Buffer }>('SELECT bytes FROM images WHERE account = $1 AND digest = $2', [
        this.account,
        digest,
      ])
      .catch(cause => {
        throw storeErrorOf(cause)
      })
    const bytes = rows[0]?.bytes
    return bytes && digestOf(bytes) === digest ? bytes : undefined
  }

  async clear(): Promise<void> {
    await this.database.ask('DELETE FROM images WHERE account = $1', [this.account])
  }
}
