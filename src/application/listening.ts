import { readdir, readFile, readlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { ApplicationError } from './application-error.ts'

/** These ports are below those that systems give to outgoing connections and to servers that ask for any port. */
const FIRST_PORT = 20_000
const PORTS = 12_000
/** Each process begins at another port. */
let next = (process.pid * 2) % PORTS

/** A port for one application. */
export interface ClaimedPort {
  readonly port: number
  release(): void
}

/**
 * Claims a port that nothing listens on. An application takes its port only some time after it was started, so another
 * paysim could give the same port away before that, and would then send its own requests to this application.
 * Therefore the neighbouring port shows other processes that this one is taken: the process that listens there may use it.
 */
export async function claimPort(): Promise<ClaimedPort> {
  for (let left = PORTS / 2; left > 0; left--) {
    const port = FIRST_PORT + next
    next = (next + 2) % PORTS
    const claim = await listenOn(port + 1)
    if (!claim) continue
    const probe = await listenOn(port)
    if (probe) {
      await new Promise(resolve => probe.close(resolve))
      return { port, release: () => claim.close() }
    }
    claim.close()
  }
  throw new ApplicationError(
    `every port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is in use: the application needs one of them`,
  )
}

/** Ends every connection, because nobody has a reason to connect to a port that is only claimed or tried. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise(resolve => {
    const server = createServer(socket => socket.destroy()).unref()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server))
  })
}

/** An application may listen on IPv4, on IPv6, or on both. */
const HOSTS = ['127.0.0.1', '::1'] as const

/** The local address at which a port accepts connections, if it does. */
export async function addressOf(port: number): Promise<string | undefined> {
  for (const host of HOSTS)
    if (await acceptsConnections(host, port)) return host === '::1' ? `[::1]:${port}` : `${host}:${port}`
  return undefined
}

/** Another machine may not answer at all. */
const ACCEPTS_WITHIN_MS = 2000

export function acceptsConnections(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: ACCEPTS_WITHIN_MS })
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

/**
 * The ports that these processes listen on, to help if an application uses another port than PORT. Works only on Linux.
 */
export async function portsOf(pids: readonly number[]): Promise<number[]> {
  const inodes = new Set<string>()
  for (const pid of pids)
    for (const name of await readdir(`/proc/${pid}/fd`).catch(() => []))
      inodes.add(await readlink(`/proc/${pid}/fd/${name}`).catch(() => ''))
  const ports = new Set<number>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of (await readFile(table, 'utf8').catch(() => '')).split('\n')) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      if (state === LISTENS && inodes.has(`socket:[${inode}]`))
        ports.add(Number.parseInt(local.split(':')[1] ?? '', 16))
    }
  return [...ports].sort((a, b) => a - b)
}

const LISTENS = '0A'
