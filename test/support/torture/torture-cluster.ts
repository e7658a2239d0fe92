import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startTcpProxy, type TcpProxy } from '../cluster/tcp-proxy.ts'
import type { Chance } from '../fuzz/chance.ts'
import { type Caller, type Reply, startTortured, type TortureServer } from './torture-server.ts'

/** A process of a cluster, and the wire between it and the database. */
export interface Member {
  readonly server: TortureServer
  readonly wire: TcpProxy
  /** Calls that it has not answered yet. */
  open: number
  /** Whether its answers may take long. */
  isDisturbed: boolean
}

interface Settings {
  readonly binary: string
  /** The address of the database as the tests reach it. */
  readonly store: string
  readonly chance: Chance
}

const TOKEN = 'the-token-of-the-whole-cluster'
const ARGS = ['--control-token', TOKEN, '--public-url', 'http://pay.example.test']
/** How many calls may wait for a slow process. Its late answers are checked too. */
const MOST_AT_DISTURBED = 2

/** Processes on one database that come and go. Each call goes to any of them. */
export class TortureCluster implements Caller {
  readonly members: Member[] = []
  /** Whether the database may be out of reach of all of them. */
  isDown = false
  #said = ''

  constructor(private readonly settings: Settings) {}

  /** The output of all processes, including those that ended. */
  get said(): string {
    return this.#said + this.members.map(({ server }) => server.stderr()).join('')
  }

  /** Starts one more process. It tries again as long as the database cannot be reached. */
  async join(): Promise<Member> {
    const { binary } = this.settings
    for (;;) {
      const wasDown = this.isDown
      const { wire, store } = await this.#wire()
      try {
        const { server } = await startTortured({ binary, store, args: ARGS })
        if (!server) throw new Error('it ended without a plan')
        const member = { server, wire, open: 0, isDisturbed: false }
        this.members.push(member)
        return member
      } catch (cause) {
        await wire.close()
        if (!wasDown && !this.isDown) throw cause
      }
    }
  }

  /** Starts a process that is killed during its start. */
  async joinAndDie(afterMs: number): Promise<void> {
    const { wire, store } = await this.#wire()
    const args = [this.settings.binary, 'serve', '--json', '--port', '0', '--store', store, ...ARGS]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    const ended = once(child, 'exit')
    setTimeout(() => child.kill('SIGKILL'), afterMs)
    await ended
    await wire.close()
  }

  async #wire(): Promise<{ wire: TcpProxy; store: string }> {
    const store = new URL(this.settings.store)
    const wire = await startTcpProxy([Number(store.port)])
    store.port = String(wire.port)
    return { wire, store: store.href }
  }

  async kill(member: Member): Promise<void> {
    await member.server.kill()
    await this.#leave(member)
  }

  /** Stops a process, and returns its exit code. */
  async stop(member: Member): Promise<number | null> {
    // A client without a process to call would only fail.
    if (this.members.length > 1) this.members.splice(this.members.indexOf(member), 1)
    const code = await member.server.stop()
    await this.#leave(member)
    return code
  }

  async #leave(member: Member): Promise<void> {
    if (this.members.includes(member)) this.members.splice(this.members.indexOf(member), 1)
    this.#said += member.server.stderr()
    await member.wire.close()
  }

  call: Caller['call'] = (...args) => this.#send(server => server.call(...args))

  control: Caller['control'] = (...args) => this.#send(server => server.control(...args))

  async #send(act: (server: TortureServer) => Promise<Reply | undefined>): Promise<Reply | undefined> {
    const free = this.members.filter(({ isDisturbed, open }) => !isDisturbed || open < MOST_AT_DISTURBED)
    if (free.length === 0) {
      await new Promise(resolve => setTimeout(resolve, 10))
      return undefined
    }
    const member = this.settings.chance.of(free)
    member.open++
    try {
      return await act(member.server)
    } finally {
      member.open--
    }
  }

  async end(): Promise<void> {
    for (const { server } of this.members) server.signal('SIGCONT')
    await Promise.all([...this.members].map(member => this.kill(member)))
  }
}
