const MEBIBYTE = 1024 * 1024
const MOST_BYTES = 16 * MEBIBYTE

/** The application sends more than anybody means to send. */
export class EndlessBodyError extends Error {
  constructor() {
    super(`it is over ${MOST_BYTES / MEBIBYTE} MiB, and was not read to its end`)
  }
}

/** What the application sends, an answer or a call: it may have no end, and must not fill the memory. */
export async function boundedBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MOST_BYTES) throw new EndlessBodyError()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
