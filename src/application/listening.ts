import { readdir, readFile, readlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'

/** Ports that were returned before, so that two applications that start at once get different ones. */
const given = new Set<number>()

/** A port that no process listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await new Promise<number>((resolve, reject) => {
      const server = createServer()
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
      })
    })
    if (given.has(port)) continue
    given.add(port)
    return port
  }
}

/** An application may listen on IPv4, on IPv6, or on both. */
const HOSTS = ['127.0.0.1', '::1'] as const

/** The local address at which a port accepts connections, if it does. */
export async function addressOf(port: number): Promise<string | undefined> {
  for (const host of HOSTS)
    if (await takesConnections(host, port)) return host === '::1' ? `[::1]:${port}` : `${host}:${port}`
  return undefined
}

function takesConnections(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host, port })
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
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
