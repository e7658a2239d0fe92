import type { Departure } from '../holders.ts'
import type { Database } from './database.ts'
import { LEASE_MS, type Lease } from './lease.ts'

const LOOK_AGAIN_MS = 50
/** A database that does not answer delays a stop by no more than this. */
const NOTE_WITHIN_MS = 1000
/** Nor do accounts with long checkpoints. */
const PREPARE_WITHIN_MS = 4000

interface Row {
  readonly leaving: boolean
  readonly answered_all: boolean
  readonly over: boolean
  readonly recent: boolean
}

/** Tells the other processes, through the store, that this one stops. If that fails, they only know less. */
export class DatabaseDeparture implements Departure {
  constructor(
    private readonly database: Database,
    private readonly lease: Lease,
    private readonly prepareToGive: () => Promise<void>,
    private readonly giveAll: () => Promise<void>,
  ) {}

  prepare(): Promise<void> {
    return within(PREPARE_WITHIN_MS, this.prepareToGive())
  }

  async begin(): Promise<void> {
    await this.#note('leaving')
    await within(NOTE_WITHIN_MS, this.giveAll())
  }

  answeredAll(): Promise<void> {
    return this.#note('answered_all')
  }

  async #note(what: 'leaving' | 'answered_all'): Promise<void> {
    if (!this.lease.registered) return
    const noted = this.database.ask(`UPDATE processes SET ${what} = true WHERE id = $1`, [this.lease.id])
    await within(NOTE_WITHIN_MS, noted)
  }

  async isUnderWay(address: string): Promise<boolean> {
    const process = await this.#read(address)
    // Also for a while after its end, because its last answers, or the end of their connections, are still on their way.
    return process?.leaving === true && process.recent
  }

  async hasAnsweredAll(address: string, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const process = await this.#read(address)
      if (!process?.leaving || process.over || process.answered_all) return process?.answered_all ?? false
      await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
    }
    return false
  }

  /** The newest process there: one may have been restarted at this address. */
  async #read(address: string): Promise<Row | undefined> {
    const { rows } = await this.database.ask<Row>(
      `SELECT leaving, answered_all, ended OR renewed_at <= clock_timestamp() - $2 * interval '1 millisecond' AS over,
         renewed_at > clock_timestamp() - 2 * $2 * interval '1 millisecond' AS recent
       FROM processes WHERE address = $1 ORDER BY id DESC LIMIT 1`,
      [address, LEASE_MS],
    )
    return rows[0]
  }
}

/** Waits for the work to end or fail, but no longer than this. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work.catch(() => {}), limit])
  clearTimeout(timer)
}
