import { connect, type Socket } from 'node:net'

const CONNECT_MS = 3000
/** Shorter than a process keeps a connection open that waits for a request. */
const IDLE_MS = 60_000

/** What comes while no call waits belongs to none. */
function endStray(this: Socket): void {
  this.destroy()
}

/** Kept connections to other processes, each for one call at a time. */
export class HolderLines {
  readonly #all = new Set<Socket>()
  readonly #idle = new Map<string, Set<Socket>>()

  /** A connection to an address of plain HTTP. It may not be open yet. */
  take(address: string): Socket {
    const idle = this.#idle.get(address)
    for (const socket of idle ?? []) {
      idle?.delete(socket)
      // A connection that was ended or reset is known as closed only some turns later.
      if (socket.writable && !socket.readableEnded) return socket.setTimeout(0).off('data', endStray)
    }
    return this.#open(address)
  }

  #open(address: string): Socket {
    const { hostname, port } = new URL(address)
    const host = hostname.replace(/^\[|\]$/g, '')
    const socket = connect({ host, port: Number(port || 80), noDelay: true })
    this.#all.add(socket)
    return (
      socket
        .setTimeout(CONNECT_MS)
        .once('connect', () => socket.setTimeout(0))
        .on('timeout', () => socket.destroy())
        // The call that uses the connection learns of its end from `close`.
        .on('error', () => {})
        .once('close', () => {
          this.#all.delete(socket)
          this.#idle.get(address)?.delete(socket)
        })
    )
  }

  /** For the next call. */
  giveBack(address: string, socket: Socket): void {
    if (socket.destroyed) return
    const idle = this.#idle.get(address)
    if (idle) idle.add(socket)
    else this.#idle.set(address, new Set([socket]))
    socket.setTimeout(IDLE_MS).on('data', endStray).resume()
  }

  close(): void {
    for (const socket of this.#all) socket.destroy()
  }
}
