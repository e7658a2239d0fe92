import { Writable } from 'node:stream'

interface Shape {
  readonly isTTY?: boolean
  readonly columns?: number
  /** Handles each write, instead of accepting it at once. */
  readonly take?: (chunk: string, done: (error?: Error) => void) => void
}

/** A replacement for stdout that stores what is written. */
export class MemoryStream extends Writable {
  text = ''
  declare readonly isTTY: boolean
  declare readonly columns: number

  constructor({ take = (_, done) => done(), ...shape }: Shape = {}) {
    super({
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        this.text += chunk
        take(chunk, done)
      },
    })
    Object.assign(this, shape)
  }

  getColorDepth(): number {
    return 24
  }

  get out(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream
  }
}
