import { StartError } from '../engine/store/store-errors.ts'
import type { Listener } from './http/listener.ts'

interface PortSettings {
  readonly host: string
  readonly port: number
  /** The name of the port in messages of the command line and the library. */
  readonly name: 'port' | 'control port'
  /** Called with the address before the first connection is taken. */
  readonly onBound: (url: string) => void
}

interface Listening {
  readonly listener: Pick<Listener, 'listen'>
}

/** Listens on the last port again if possible, so that old addresses stay valid, or on any free one. */
export const listenAgain = (
  app: Listening | undefined,
  place: Omit<PortSettings, 'port'>,
  lastPort = 0,
): Promise<number> =>
  listen(app, { ...place, port: lastPort }).catch(cause => {
    if (lastPort === 0) throw cause
    return listen(app, { ...place, port: 0 })
  })

/** Resolves with the port. */
export async function listen(
  app: Listening | undefined,
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
