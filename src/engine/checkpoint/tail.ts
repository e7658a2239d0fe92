import { BYTES_A_CHECKPOINT } from './history-sizes.ts'

/** What an account wrote since its last checkpoint was begun. The records that this changed are in memory. */
export class Tail {
  #entries = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  get entries(): number {
    return this.#entries
  }

  /** True if a checkpoint is due. */
  note(bytes: number, every: number): boolean {
    this.#entries++
    this.#bytes += bytes
    return this.#entries >= every || this.#bytes >= BYTES_A_CHECKPOINT
  }

  begin(entries = 0): void {
    this.#entries = entries
    this.#bytes = 0
  }
}
