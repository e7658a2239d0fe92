import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Forwards connections to one or several ports, as a balancer, or to disturb them. */
export interface TcpProxy {
  readonly port: number
  /** Each new connection goes to the next of these ports that answers. */
  target(ports: readonly number[]): void
  /** Ends all connections at once, and accepts new ones. */
  cut(): void
  /** Holds all data back without closing any connection. */
  silence(): void
  /** Sends what was held back, and everything after it. */
  speak(): void
  /** Ends the sending side of each connection; answers still arrive. */
  halfClose(): void
  close(): Promise<void>
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

export async function startTcpProxy(first: readonly number[]): Promise<TcpProxy> {
  let ports = first
  let turn = 0
  let isSilent = false
  const pairs = new Set<Pair>()
  const server = createServer({ allowHalfOpen: true }, near => {
    near.on('error', () => {})
    // Its data is not read before there is a connection to send it to.
    near.pause()
    void open(near)
  })

  async function open(near: Socket): Promise<void> {
    for (let tried = 0; tried < ports.length; tried++) {
      const port = ports[turn++ % ports.length]
      if (port === undefined) break
      const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      far.on('error', () => {})
      const isOpen = await Promise.race([
        once(far, 'connect').then(() => true),
        once(far, 'close').then(() => false),
      ]).catch(() => false)
      if (isOpen) return join({ near, far })
    }
    near.destroy()
  }

  function join(pair: Pair): void {
    const { near, far } = pair
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to)
      from.once('close', () => {
        // After a half-close, nothing reads the other side, so only a cut ends it.
        if (to.closed) pairs.delete(pair)
        // The data that it sent before still arrives.
        if (from.errored) to.destroy()
        else to.end()
      })
    }
    if (isSilent) hold(pair)
  }

  function hold({ near, far }: Pair): void {
    near.unpipe(far).pause()
    far.unpipe(near).pause()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
    pairs.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    target: next => {
      ports = next
    },
    cut,
    silence: () => {
      isSilent = true
      for (const pair of pairs) hold(pair)
    },
    speak: () => {
      isSilent = false
      for (const { near, far } of pairs) {
        near.pipe(far)
        far.pipe(near)
      }
    },
    halfClose: () => {
      for (const { near, far } of pairs) {
        near.unpipe(far)
        far.end()
      }
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
