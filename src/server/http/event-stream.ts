import type { ServerResponse } from 'node:http'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** How much of a stream may wait for its reader. One event alone may be larger. */
export const MOST_WAITING = 1024 * 1024
/** How long a reader that fell behind can still get the end of its stream. */
const FINAL_MS = 600_000

interface StreamSettings {
  readonly headers?: Readonly<Record<string, string>>
  /** What is sent last to a reader that fell behind. */
  readonly finalText?: () => string
}

/**
 * Server-sent events to one reader. What it does not read in time waits here, up to a limit. Past that, the stream ends: no
 * reader can make the server keep more.
 */
export class EventStream {
  #waiting: string[] = []
  #bytes = 0
  #isBlocked = false
  #isOver = false
  #resume: (() => void)[] = []
  readonly #onOver: (() => void)[] = []

  constructor(
    private readonly raw: ServerResponse,
    private readonly finalText: () => string,
    private readonly onCut: () => void,
  ) {
    raw.on('drain', () => this.#flush()).once('close', () => this.#close())
  }

  get isOver(): boolean {
    return this.#isOver || this.raw.writableEnded
  }

  get bytesWaiting(): number {
    return this.#bytes + this.raw.writableLength
  }

  send(text: string): void {
    if (this.isOver) return
    if (!this.#isBlocked) {
      this.#isBlocked = !this.raw.write(text)
      return
    }
    const size = Buffer.byteLength(text)
    if (this.#bytes > 0 && this.#bytes + size > MOST_WAITING) return this.#cut()
    this.#waiting.push(text)
    this.#bytes += size
  }

  /** Resolves when the reader has taken what was sent; undefined if it has. */
  get drained(): Promise<void> | undefined {
    return this.#isBlocked && !this.isOver ? new Promise(resolve => this.#resume.push(resolve)) : undefined
  }

  /** Calls this when nothing can be sent any more. */
  onOver(listener: () => void): void {
    this.#onOver.push(listener)
  }

  end(): void {
    this.raw.end()
    this.#close()
  }

  #flush(): void {
    this.#isBlocked = false
    const texts = this.#waiting.splice(0)
    this.#bytes = 0
    for (const text of texts) this.send(text)
    if (!this.#isBlocked) this.#tellDrained()
  }

  #tellDrained(): void {
    for (const resume of this.#resume.splice(0)) resume()
  }

  #cut(): void {
    this.onCut()
    this.raw.end(this.finalText())
    this.#close()
    const timer = setTimeout(() => this.raw.destroy(), FINAL_MS).unref()
    this.raw.once('close', () => clearTimeout(timer))
  }

  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#waiting = []
    this.#bytes = 0
    for (const listener of this.#onOver) listener()
    this.#tellDrained()
  }
}

/** All streams of a server. */
export class EventStreams {
  readonly #open = new Set<EventStream>()
  #cut = 0

  begin(request: Request, reply: Reply, { headers, finalText = () => '' }: StreamSettings = {}): EventStream {
    const { raw } = reply
    reply.hijack()
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'request-id': request.requestId,
      ...headers,
    })
    const stream = new EventStream(raw, finalText, () => {
      this.#cut++
    })
    this.#open.add(stream)
    stream.onOver(() => this.#open.delete(stream))
    return stream
  }

  /** How many there are, what waits for their readers, and how many ended because their readers fell behind. */
  get counts(): { readonly open: number; readonly bytesWaiting: number; readonly cut: number } {
    let bytesWaiting = 0
    for (const stream of this.#open) bytesWaiting += stream.bytesWaiting
    return { open: this.#open.size, bytesWaiting, cut: this.#cut }
  }
}
