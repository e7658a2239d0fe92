import { openSite } from '../cli/site.ts'

export interface Heard {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A merchant's application, which receives webhooks and gives these answers in order; the last one repeats. */
export async function openApplication(...replies: readonly Reply[]) {
  const heard: Heard[] = []
  const { url, close } = await openSite(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    heard.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') })
    const { status = 204, headers: more = {} } = replies[heard.length - 1] ?? replies.at(-1) ?? {}
    response.writeHead(status, more).end()
  })
  return { url: `${url}/hooks?from=paysim`, heard, close }
}
