import type { Gateway } from '../engine/gateway.ts'
import { StartError } from '../engine/start-error.ts'
import type { App } from './app.ts'
import { isFree } from './http/is-free.ts'

interface PortSettings {
  readonly host: string
  readonly port: number
  /** The name of the port in messages of the command line and the library. */
  readonly name: 'port' | 'control port'
  /** Called with the address before the first connection is taken. */
  readonly onBound: (url: string) => void
}

/** For port 0, uses the last port again if possible, so that old addresses stay valid. */
export async function listenOnLastPort(
  app: App | undefined,
  place: PortSettings,
  gateway: Gateway,
): Promise<void> {
  const { host, port } = place
  const { lastPort } = gateway
  const again = port === 0 && lastPort !== undefined && (await isFree(host, lastPort))
  const bound = await listen(app, { ...place, port: again ? lastPort : port })
  await gateway.rememberPort(bound)
}

/** Resolves with the port. */
export async function listen(
  app: App | undefined,
  { host, port, name, onBound }: PortSettings,
): Promise<number> {
  if (!app) throw new Error('there is no such listener')
  try {
    return await app.listener.listen(host, port, bound => onBound(`http://${reachable(host)}:${bound}`))
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    if (cause.code === 'EADDRINUSE')
      throw new StartError(
        `${name} ${port} on ${host} is in use: choose another one, or 0 for any free port`,
        2,
      )
    throw new StartError(`cannot listen on ${name} ${port} of ${host}: ${cause.message}`, 2)
  }
}

/** An address that a client on this machine can use. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
