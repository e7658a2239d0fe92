import { createInterface } from 'node:readline'
import type { ControlHttp } from './control-http.ts'
import type { StreamMessage } from './control-journal.ts'

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
    for await (const line of createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.startsWith('event: ')) event = line.slice(7)
      else if (line.startsWith('data: ')) data += line.slice(6)
      else if (line === '' && data !== '') {
        yield { event, data: JSON.parse(data) } as StreamMessage
        event = data = ''
      }
    }
  } catch (cause) {
    if (!signal?.aborted) throw cause
  }
}
