import type { StreamMessage } from '../contract/control/journal.ts'
import { ControlError, ControlUnreachableError } from './errors.ts'

/** Opens the stream; `after` is the number of the last entry that was read. */
type Open = (after: number | undefined) => Promise<AsyncIterable<Uint8Array>>

/**
 * The server-sent events of an account, until the server closes the stream or `signal` aborts. A reader that fell behind
 * gets `overflow` and then all entries that it missed; the requests that it missed are lost.
 */
export async function* readStream(open: Open, signal?: AbortSignal): AsyncGenerator<StreamMessage, void> {
  for (let after: number | undefined; ; ) {
    let last: StreamMessage | undefined
    let lastSeq = after ?? 0
    for await (const message of readOnce(() => open(after), signal)) {
      last = message
      if (message.event === 'hello' || message.event === 'entry') lastSeq = message.data.seq
      // It goes on where the reader was.
      const isContinued = message.event === 'hello' && after !== undefined && message.data.after === after
      if (isContinued) lastSeq = after ?? lastSeq
      else yield message
    }
    if (last?.event !== 'overflow') return
    after = lastSeq
  }
}

async function* readOnce(
  open: () => ReturnType<Open>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamMessage, void> {
  try {
    const body = await open()
    let event = ''
    let data = ''
    for await (const line of linesOf(body)) {
      if (line.startsWith('event: ')) event = line.slice(7)
      else if (line.startsWith('data: ')) data = joined(data, line.slice(6))
      else if (line === '' && data !== '') {
        yield { event, data: JSON.parse(data) } as StreamMessage
        event = data = ''
      }
    }
  } catch (cause) {
    if (!signal?.aborted) throw streamError(cause)
  }
}

const streamError = (cause: unknown) =>
  cause instanceof ControlError || cause instanceof ControlUnreachableError
    ? cause
    : new ControlUnreachableError('the stream ended: the simulator has stopped', { cause })

function joined(data: string, more: string): string {
  if (data.length + more.length <= LONGEST_EVENT) return data + more
  throw new ControlUnreachableError('the stream sends an endless event; is it a control surface?')
}

/** An event is an entry or a request, and the longest of these is far shorter. */
const LONGEST_EVENT = 32 * 1024 * 1024

/** Splits only at line feeds. Node's readline also splits at U+2028, which a JSON string may contain. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // Joined only at the end of a line, so that a long line is not copied again and again.
  let begun: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    begun.push(first)
    length += first.length
    if (length > LONGEST_EVENT)
      throw new ControlUnreachableError('the stream sends an endless line; is it a control surface?')
    const last = rest.pop()
    if (last === undefined) continue
    yield begun.join('')
    yield* rest
    begun = [last]
    length = last.length
  }
}
