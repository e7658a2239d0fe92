import { Readable } from 'node:stream'
import { ControlUnreachableError } from './control-error.ts'

/** How much a control surface may send, and for how long. */
export interface AnswerLimits {
  readonly bytes: number
  readonly ms: number
}

/**
 * The same body with a limit for its bytes and for its time. An endless body would fill the memory or the disk, and a
 * body that arrives byte by byte never causes a timeout between two pieces.
 */
export const limitedBody = (body: Readable, limits: AnswerLimits, origin: string): Readable =>
  Readable.from(limited(body, limits, origin), { objectMode: false })

async function* limited(body: Readable, { bytes, ms }: AnswerLimits, origin: string): AsyncGenerator<Buffer> {
  const tooLong = (what: string) => new ControlUnreachableError(`${origin} ${what}; is it a control surface?`)
  const timer = setTimeout(() => body.destroy(tooLong(`did not answer in full within ${ms} ms`)), ms)
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > bytes) throw tooLong(`sends an endless answer: more than ${bytes / 1024 / 1024} MiB arrived`)
      yield chunk
    }
  } finally {
    clearTimeout(timer)
  }
}
