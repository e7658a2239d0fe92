import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { disguise, type Json } from './disguise.ts'

/**
 * Another server of the same interface, in front of one of ours: with a path prefix, unknown members and values,
 * unusual formatting, and other success statuses. Its other decisions are in the contract of the simulator behind it.
 */
export interface SecondServer {
  /** Including the path prefix. */
  readonly url: string
  /** Additional changes to answers, for one test. */
  reshape: (path: string, body: Json) => Json
  readonly stop: () => Promise<void>
}

const PREFIX = '/v1'

export async function startSecondServer(behind: string): Promise<SecondServer> {
  const server = createServer((asked, answer) => {
    const path = asked.url ?? '/'
    if (!path.startsWith(`${PREFIX}/`)) return answerAsAWebSite(answer)
    const onward = request(
      new URL(path.slice(PREFIX.length), behind),
      { method: asked.method, headers: { ...asked.headers, host: new URL(behind).host } },
      came => {
        passOn(came, answer, `${asked.method} ${path.slice(PREFIX.length)}`, second).catch(() =>
          answer.destroy(),
        )
      },
    )
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const second: SecondServer = {
    url: `http://127.0.0.1:${port}${PREFIX}`,
    reshape: (_, body) => body,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return second
}

/** A call without the prefix reaches the website at the root. */
function answerAsAWebSite(answer: ServerResponse): void {
  answer.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html><title>Not here</title>')
}

async function passOn(
  came: IncomingMessage,
  answer: ServerResponse,
  call: string,
  second: SecondServer,
): Promise<void> {
  const bytes = await buffer(came)
  const body = /json/.test(came.headers['content-type'] ?? '') ? rewritten(bytes, call, second) : bytes
  const status = came.statusCode ?? 502
  answer.writeHead(status < 300 ? anotherSuccess(call, status) : status, headersOf(came))
  // In two pieces that may split a character, and without a length.
  const middle = Math.ceil(body.length / 2)
  answer.write(body.subarray(0, middle))
  answer.end(body.subarray(middle))
}

function rewritten(bytes: Buffer, call: string, second: SecondServer): Buffer {
  try {
    const body = second.reshape(call, JSON.parse(bytes.toString('utf8')))
    return Buffer.from(disguise(body))
  } catch (error) {
    // A body that a fault has damaged is passed on unchanged.
    if (error instanceof SyntaxError) return bytes
    throw error
  }
}

/** Any 2xx is a success, whether the document names the status or not. */
function anotherSuccess(call: string, status: number): number {
  if (call.startsWith('GET ')) return 203
  if (call.endsWith('/cancel-pending')) return 201
  if (call.endsWith('/receipt')) return 202
  return call.endsWith('/cancel') ? status : 200
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'date'])

/** The same headers in upper case. */
function headersOf({ rawHeaders }: IncomingMessage): string[] {
  const headers: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.push(name.toUpperCase(), value)
  }
  return headers
}
