import { digestOf, type ImageStore } from '../image-store.ts'
import type { Database } from './database.ts'
import { storeErrorOf, unavailableBy } from './database-error.ts'

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
