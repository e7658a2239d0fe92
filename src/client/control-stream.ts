import type { StreamMessage } from '../contract/control/journal.ts'
import { ControlError, ControlUnreachableError } from './control-error.ts'
import type { ControlHttp } from './control-http.ts'

/** An account's server-sent events as they come, until the server ends or `signal` says so. */
export async function* readStream(
  http: ControlHttp,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<StreamMessage, void> {
  try {
    const { body } = await http.open('GET', path, { signal })
    let event = ''
    let data = ''
    for await (const line of linesOf(body)) {
      if (line.startsWith('event: ')) event = line.slice(7)
      else if (line.startsWith('data: ')) data += line.slice(6)
      else if (line === '' && data !== '') {
        yield { event, data: JSON.parse(data) } as StreamMessage
        event = data = ''
      }
    }
  } catch (cause) {
    if (!signal?.aborted) throw brokenOff(cause)
  }
}

const brokenOff = (cause: unknown) =>
  cause instanceof ControlError || cause instanceof ControlUnreachableError
    ? cause
    : new ControlUnreachableError('the stream ended: the simulator has stopped', { cause })

/** By line feeds alone: Node's own reader also ends a line at U+2028, which a string in JSON may hold. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let begun = ''
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n')
    begun = lines.pop() ?? ''
    yield* lines
  }
}
