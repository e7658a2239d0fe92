import type { Readable } from 'node:stream'

/** How much of an application's output to keep: enough to see why it failed, with a limit. */
const KEPT_BYTES = 64 * 1024
const SHOWN_LINES = 30
const LONGEST_LINE = 500

/** The end of what a process wrote to stdout and stderr, in the order in which it came. */
export class Output {
  #chunks: Buffer[] = []
  #size = 0
  #dropped = false

  follow(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.#add(chunk))
    stream.on('error', () => {})
  }

  #add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    // Never less than KEPT_BYTES is left: one chunk may hold all of that, and the next a single line.
    while (this.#size - (this.#chunks[0]?.length ?? 0) >= KEPT_BYTES) {
      this.#size -= this.#chunks.shift()?.length ?? 0
      this.#dropped = true
    }
  }

  /** The last lines, for the report of a failure. */
  lines(most = SHOWN_LINES): string[] {
    const text = Buffer.concat(this.#chunks).toString('utf8').replace(/\n$/, '')
    if (text === '') return []
    const lines = text.split(/\r?\n/)
    const shown = lines.slice(-most).map(line => line.slice(0, LONGEST_LINE))
    return lines.length > most || this.#dropped ? ['…', ...shown] : shown
  }
}
