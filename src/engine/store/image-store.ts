import { createHash } from 'node:crypto'
import { type Rejection, rejection } from '../../contract/errors.ts'

/** The name of an image: the SHA-256 of its bytes. */
const DIGEST = /^[0-9a-f]{64}$/
export const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export const isDigest = (name: string) => DIGEST.test(name)

/** Every store checks this itself, because a digest may come from an import. */
export function demandDigest(digest: string): void {
  if (!isDigest(digest)) throw new Error(`there is no image ${JSON.stringify(digest)}`)
}

/** The records name them, but their bytes are gone. */
export const imagesLost = (account: string, digests: readonly string[]): Rejection =>
  rejection(
    'service_unavailable',
    `The account ${account} has lost ${digests.length === 1 ? 'an image' : `${digests.length} images`}: ` +
      `${digests.slice(0, MOST_NAMED).join(', ')}${digests.length > MOST_NAMED ? ', …' : ''}. Restore its folder images from a backup`,
  )

const MOST_NAMED = 10

/** Images by the SHA-256 of their bytes. A stored image never changes. */
export interface ImageStore {
  /** Takes the bytes in the pieces in which they arrived. Resolves when the image is safe. */
  put(digest: string, pieces: readonly Buffer[]): Promise<void>
  /** An image that was changed since it was stored counts as missing. */
  get(digest: string): Promise<Buffer | undefined>
  clear(): Promise<void>
}

export class MemoryImages implements ImageStore {
  readonly #images = new Map<string, Buffer>()

  async put(digest: string, pieces: readonly Buffer[]): Promise<void> {
    this.#images.set(digest, Buffer.concat(pieces))
  }

  async get(digest: string): Promise<Buffer | undefined> {
    return this.#images.get(digest)
  }

  async clear(): Promise<void> {
    this.#images.clear()
  }
}
