import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LockHeldError, ProcessLock } from './process-lock.ts'
import { StartFault } from './start-fault.ts'

/** Where things lie on disk, and who holds them. One process at a time. */
export class DataDirectory {
  private constructor(
    readonly path: string,
    private readonly lock: ProcessLock,
  ) {}

  static async claim(path: string): Promise<DataDirectory> {
    try {
      // Where the parent exists, only that one level is made: on /proc, Node's recursive mkdir never ends.
      const hasParent = existsSync(dirname(path))
      if (!existsSync(path)) await mkdir(path, { recursive: !hasParent, mode: 0o700 })
    } catch (cause) {
      throw new StartFault(`the data directory ${path} cannot be made: ${reason(cause)}`)
    }
    return new DataDirectory(path, await lock(path))
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
    await rm(join(this.path, 'server.json'), { force: true })
    await this.lock.release()
  }
}

async function lock(path: string): Promise<ProcessLock> {
  try {
    return await ProcessLock.take(join(path, 'lock'))
  } catch (cause) {
    if (!(cause instanceof LockHeldError))
      throw new StartFault(`the data directory ${path} cannot be written: ${reason(cause)}`)
    const holder = cause.pid === process.pid ? 'this process' : 'another paysim'
    throw new StartFault(
      `${holder} (pid ${cause.pid}) serves ${path}; stop it, or give this one another directory with --data`,
    )
  }
}

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
