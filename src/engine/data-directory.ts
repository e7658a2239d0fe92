import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartFault } from './start-fault.ts'

/** Where things lie on disk, and who holds them. One process at a time. */
/** Held by this very process: its pid in a lock says nothing, since a container may give the same one again. */
const heldHere = new Set<string>()

export class DataDirectory {
  private constructor(readonly path: string) {}

  static async claim(path: string): Promise<DataDirectory> {
    try {
      // Where the parent exists, only that one level is made: on /proc, Node's recursive mkdir never ends.
      const hasParent = existsSync(dirname(path))
      if (!existsSync(path)) await mkdir(path, { recursive: !hasParent, mode: 0o700 })
    } catch (cause) {
      throw new StartFault(`the data directory ${path} cannot be made: ${reason(cause)}`)
    }
    const directory = new DataDirectory(path)
    if (heldHere.has(path)) throw new StartFault(`this process (pid ${process.pid}) serves ${path} already`)
    await directory.#lock()
    heldHere.add(path)
    return directory
  }

  get registry(): string {
    return join(this.path, 'merchants.json')
  }

  account(id: string): string {
    return join(this.path, 'accounts', id)
  }

  async makeAccount(id: string): Promise<string> {
    await mkdir(this.account(id), { recursive: true })
    return this.account(id)
  }

  async removeAccount(id: string): Promise<void> {
    await rm(this.account(id), { recursive: true, force: true })
  }

  /** What others may know of the running server; it holds the control token. */
  async announce(facts: unknown): Promise<void> {
    const path = join(this.path, 'server.json')
    await writeFile(path, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
    await chmod(path, 0o600)
  }

  async release(): Promise<void> {
    heldHere.delete(this.path)
    await rm(join(this.path, 'server.json'), { force: true })
    await rm(this.#lockPath, { force: true })
  }

  get #lockPath(): string {
    return join(this.path, 'lock')
  }

  async #lock(): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      try {
        const handle = await open(this.#lockPath, 'wx')
        await handle.writeFile(String(process.pid))
        await handle.close()
        return
      } catch (cause) {
        if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'))
          throw new StartFault(`the data directory ${this.path} cannot be written: ${reason(cause)}`)
        await this.#breakStaleLock()
      }
    }
    throw new StartFault(`the data directory ${this.path} is being claimed by another paysim`)
  }

  /** A process that was killed leaves its lock behind. */
  async #breakStaleLock(): Promise<void> {
    const pid = Number(await readFile(this.#lockPath, 'utf8').catch(() => ''))
    if (pid > 0 && isAlive(pid)) {
      throw new StartFault(
        `another paysim (pid ${pid}) serves ${this.path}; stop it, or give this one another directory with --data`,
      )
    }
    await rm(this.#lockPath, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
