import type { Gateway } from '../engine/gateway.ts'
import { StartError } from '../engine/start-error.ts'
import type { App } from './app.ts'
import { isFree } from './http/is-free.ts'

/** For port 0, uses the last port again if possible, so that old addresses stay valid. */
export async function listenAgain(
  app: App | undefined,
  host: string,
  port: number,
  gateway: Gateway,
): Promise<string> {
  const { lastPort } = gateway
  const url =
    port === 0 && lastPort !== undefined && (await isFree(host, lastPort))
      ? await listen(app, host, lastPort)
      : await listen(app, host, port)
  await gateway.rememberPort(Number(new URL(url).port))
  return url
}

/** `name` is what messages call the port: they go to the command line and to users of the library. */
export async function listen(
  app: App | undefined,
  host: string,
  port: number,
  name: 'port' | 'control port' = 'port',
): Promise<string> {
  if (!app) throw new Error('there is no such listener')
  try {
    const bound = await app.listener.listen(host, port)
    return `http://${reachable(host)}:${bound}`
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'EADDRINUSE')
      throw new StartError(
        `${name} ${port} on ${host} is in use: choose another one, or 0 for any free port`,
        2,
      )
    throw new StartError(
      `cannot listen on ${name} ${port} of ${host}: ${cause instanceof Error ? cause.message : cause}`,
      2,
    )
  }
}

/** An address that a client on this machine can use. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
