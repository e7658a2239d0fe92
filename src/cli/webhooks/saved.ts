import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { NoWebhookError, readSavedWebhook, type SavedWebhook } from '../../contract/webhook-check.ts'
import type { ReceivedEvent } from '../../library/webhook-receiver.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { bodyMembers, warn } from './deliveries.ts'

/** Reads a webhook that somebody saved, in any form in which people keep one. */
export function readSaved(text: string, name: string): SavedWebhook {
  try {
    return readSavedWebhook(text)
  } catch (cause) {
    throw cause instanceof NoWebhookError ? new UsageError(`${name} ${cause.message}`) : cause
  }
}

/** Bounds what a sender can fill a disk with. */
const MOST_FILES = 1000
const NAME = /^webhook-(\d{4})\.json$/
/** Nothing that was there is written to: not a file, and not what a link leads to. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** The folder of `--save`: a file for each webhook, named by a counter, because senders choose ids and types. */
export class SaveFolder {
  #last: number
  #warned: string | undefined

  private constructor(
    private readonly path: string,
    /** Which folder it was at the start. */
    private readonly identity: string,
    last: number,
  ) {
    this.#last = last
  }

  static async open(given: string): Promise<SaveFolder> {
    try {
      await mkdir(given, { recursive: true, mode: 0o700 })
      const path = await realpath(given)
      const numbers = (await readdir(path)).map(name => Number(NAME.exec(name)?.[1] ?? 0))
      return new SaveFolder(path, await identityOf(path), Math.max(0, ...numbers))
    } catch (cause) {
      throw new UsageError(`cannot save in ${given} (--save): ${reason(cause)}`)
    }
  }

  /** The file's path from here; null if it could not be written, which is said once. */
  async save(event: ReceivedEvent, body: Buffer, receivedAt: Date): Promise<string | null> {
    const { id, type, headers } = event
    const saved = { received_at: receivedAt.toISOString(), id, type, headers, ...bodyMembers(body) }
    try {
      const name = await this.#write(`${JSON.stringify(saved)}\n`)
      this.#warned = undefined
      return relative(process.cwd(), join(this.path, name))
    } catch (cause) {
      const why = reason(cause)
      if (why !== this.#warned) warn(`webhooks are no longer saved in ${this.path}: ${why}`)
      this.#warned = why
      return null
    }
  }

  async #write(text: string): Promise<string> {
    const [name, file] = await this.#create()
    try {
      await file.writeFile(text)
      await file.close()
      return name
    } catch (cause) {
      // A part of it would look like a webhook.
      await file.close().catch(() => {})
      await rm(join(this.path, name), { force: true })
      throw cause
    }
  }

  async #create(): Promise<readonly [name: string, file: FileHandle]> {
    while (this.#last < MOST_FILES) {
      this.#last += 1
      const name = `webhook-${String(this.#last).padStart(4, '0')}.json`
      if ((await identityOf(this.path)) !== this.identity) throw new Error('another folder is there now')
      try {
        return [name, await open(join(this.path, name), NEW_FILE, 0o600)]
      } catch (cause) {
        if (!isThere(cause)) {
          this.#last -= 1
          throw cause
        }
      }
    }
    throw new Error(`it has ${MOST_FILES} webhooks; give another folder`)
  }
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path)
  return `${dev} ${ino}`
}

const isThere = (cause: unknown) => cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
const reason = (cause: unknown) =>
  cause instanceof Error ? ('code' in cause ? `${cause.code}` : cause.message) : String(cause)
