import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MERCHANT_ID } from './merchant-record.ts'
import { codeOf, demandSafeFolder, makePrivateFolder, syncDirectory } from './private-files.ts'
import { LockHeldError, ProcessLock } from './process-lock.ts'
import { type MerchantList, Registry } from './registry.ts'
import { StartError } from './start-error.ts'

interface DirectoryOptions {
  readonly sync: boolean
  readonly warn: (message: string) => void
}

/**
 * In an account's folder while the list of merchants may say otherwise than the folder does: while it is made, and
 * while it is removed. The list decides; a folder with this mark that the list does not know is left over from a kill.
 */
const MARK = 'uncommitted'
/** No merchant's name begins so. */
const REMOVED = '.removed-'

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
      throw new StartError(`the data directory ${path} cannot be created: ${reason(cause)}`)
    }
    await demandSafeFolder(path)
    const isOurs = await holdsNothingElse(path)
    const directory = new DataDirectory(path, await lock(path))
    if (isOurs) await hideFromGit(path)
    return directory
  }

  /** The list of merchants, with every account's folder as the list has it. */
  async openRegistry(options: DirectoryOptions): Promise<Registry> {
    await makePrivateFolder(this.#accounts)
    const registry = await this.#readRegistry(options)
    try {
      await this.#sweep(registry, options)
    } catch (cause) {
      await registry.close()
      throw cause
    }
    return registry
  }

  async #readRegistry({ sync, warn }: DirectoryOptions): Promise<Registry> {
    const path = join(this.path, 'merchants.jsonl')
    const file = { path, sync, onTorn: warn }
    const before = join(this.path, 'merchants.json')
    if (!existsSync(path) && existsSync(before)) {
      const registry = await Registry.convert(file, await readList(before))
      await rm(before)
      return registry
    }
    const [account] = existsSync(path) ? [] : await readdir(this.#accounts)
    if (account !== undefined)
      throw new StartError(
        `${path} is missing, but ${this.#accounts} has accounts, such as ${account}. Restore the file from a copy, ` +
          'or use another --data to start with an empty directory',
      )
    return Registry.open(file)
  }

  /** What a kill left half made or half removed is brought in line with the list, and said. */
  async #sweep(registry: Registry, { warn }: DirectoryOptions): Promise<void> {
    for (const name of await readdir(this.#accounts)) {
      const folder = join(this.#accounts, name)
      if (name.startsWith(REMOVED)) {
        await rm(folder, { recursive: true, force: true })
        continue
      }
      const known = registry.find(name.replace(/\.(test|live)$/, '')) !== undefined
      if (known) await rm(join(folder, MARK), { force: true })
      else if ((await readdir(folder)).length === 0) await rm(folder, { recursive: true })
      else if (existsSync(join(folder, MARK))) {
        warn(
          `${folder} was incomplete, because paysim stopped while it created or removed it; it is removed now`,
        )
        await rm(folder, { recursive: true, force: true })
      } else
        throw new StartError(
          `${folder} belongs to no merchant that ${this.path}/merchants.jsonl names. Restore that file from a copy, ` +
            'or move the folder away',
        )
    }
    for (const { id } of registry.merchants)
      for (const environment of ['test', 'live'])
        if (!existsSync(this.account(`${id}.${environment}`)))
          throw new StartError(
            `${this.account(`${id}.${environment}`)} is missing. Restore it from a copy, or create an empty folder there to ` +
              'start that account from nothing',
          )
  }

  get #accounts(): string {
    return join(this.path, 'accounts')
  }

  /** The folder of an account. What comes from outside never leads out of the directory. */
  account(id: string): string {
    if (!MERCHANT_ID.test(id.replace(/\.(test|live)$/, ''))) throw new Error(`there is no account ${id}`)
    return join(this.#accounts, id)
  }

  async openAccount(id: string): Promise<string> {
    const folder = this.account(id)
    await makePrivateFolder(folder)
    for (const draft of ['journal.jsonl.new', 'journal.jsonl.old'])
      await rm(join(folder, draft), { force: true })
    return folder
  }

  /** Before the list names it, or before it no longer does. */
  async mark(id: string): Promise<void> {
    await makePrivateFolder(this.account(id))
    await (await open(join(this.account(id), MARK), 'w', 0o600)).close()
  }

  /** A folder that was just made must be there after a power cut, if the list is to name it. */
  async makeSafe(ids: readonly string[]): Promise<void> {
    await Promise.all([this.#accounts, ...ids.map(id => this.account(id))].map(syncDirectory))
  }

  async unmark(id: string): Promise<void> {
    await rm(join(this.account(id), MARK), { force: true })
  }

  /** Taken away whole, then in pieces. */
  async removeAccount(id: string): Promise<void> {
    const aside = join(this.#accounts, `${REMOVED}${id}`)
    await rm(aside, { recursive: true, force: true })
    await rename(this.account(id), aside)
    await rm(aside, { recursive: true, force: true })
  }

  /** What others may know of the running server; it holds the control token. */
  async announce(facts: unknown): Promise<void> {
    const path = join(this.path, 'server.json')
    await rm(`${path}.new`, { force: true })
    // Never written through what somebody else put there.
    await writeFile(`${path}.new`, `${JSON.stringify(facts, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
    await chmod(`${path}.new`, 0o600)
    await rename(`${path}.new`, path)
  }

  async release(): Promise<void> {
    await rm(join(this.path, 'server.json'), { force: true })
    await this.lock.release()
  }
}

/** What lies in a data directory. */
const OWN = /^(accounts|lock|merchants|server)(\.|$)/

/** Somebody may keep their data where other things lie, which are not ours to hide. `.paysim` is no such name. */
async function holdsNothingElse(path: string): Promise<boolean> {
  return basename(path) === '.paysim' || (await readdir(path)).every(name => OWN.test(name))
}

/** Keys and customers' names are not for a repository. What somebody put there already stays. */
async function hideFromGit(path: string): Promise<void> {
  try {
    await writeFile(join(path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause
  }
}

async function lock(path: string): Promise<ProcessLock> {
  try {
    return await ProcessLock.take(join(path, 'lock'))
  } catch (cause) {
    if (!(cause instanceof LockHeldError))
      throw new StartError(`the data directory ${path} cannot be written: ${reason(cause)}`)
    const holder = cause.pid === process.pid ? 'this process' : 'another paysim'
    throw new StartError(
      `${holder} (pid ${cause.pid}) already serves ${path}; stop it, or use another directory with --data`,
    )
  }
}

/** Earlier versions kept the list in one piece. */
async function readList(path: string): Promise<MerchantList> {
  let held: Partial<MerchantList & { version: unknown }> | null
  try {
    held = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new StartError(`${path} cannot be read: ${reason(cause)}`)
  }
  if (held?.version !== 1 || !Array.isArray(held.merchants))
    throw new StartError(
      `${path} is not a file that this version of paysim can read; move it away or use another --data`,
    )
  return {
    merchants: held.merchants,
    lastPort: held.lastPort,
    merchantsMade: Number(held.merchantsMade ?? 0),
  }
}

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))
