import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ENVIRONMENTS } from '../contract/statuses.ts'
import type { Account } from './account.ts'
import { ChangeFile } from './change-file.ts'
import type { Change } from './change-log.ts'
import { openHistory } from './checkpoint/open-history.ts'
import { messageOf } from './damaged-error.ts'
import { FileImages } from './file-images.ts'
import type { HistoryKept } from './journal-segments.ts'
import { demandWhole, MERCHANT_ID, type MerchantRecord } from './merchant-record.ts'
import {
  codeOf,
  demandPrivateFolder,
  demandSafeFolder,
  makePrivateFolder,
  openPrivate,
  removeFile,
  succeeds,
  syncDirectory,
} from './private-files.ts'
import { LockHeldError, ProcessLock } from './process-lock.ts'
import { Registry } from './registry.ts'
import { StartError } from './start-error.ts'
import type { Store } from './store.ts'
import { together } from './together.ts'

interface DirectoryOptions {
  readonly sync: boolean
  readonly history?: HistoryKept | undefined
  readonly mustExist?: boolean
  readonly warn: (message: string) => void
}

/**
 * This mark is in an account's folder while it is created or removed, when the list of merchants may differ from the
 * folders. The list decides: a marked folder that it does not name was left by an interrupted change.
 */
const MARK = 'uncommitted'
const LIST = 'merchants.jsonl'
/** Where earlier versions kept the list of merchants. */
const OLD_LIST = 'merchants.json'
/** No merchant's id starts like this. */
const REMOVED = '.removed-'

/** A store in a directory: its layout, and its lock, because one process at a time uses it. */
export class DataDirectory implements Store {
  private constructor(
    readonly path: string,
    private readonly lock: ProcessLock,
    private readonly options: DirectoryOptions,
  ) {}

  get url(): string {
    return `file:${this.path}`
  }

  static async claim(path: string, options: DirectoryOptions): Promise<DataDirectory> {
    if (options.mustExist && ![LIST, OLD_LIST].some(name => existsSync(join(path, name))))
      throw new StartError(`${path} contains no paysim data: it has no ${LIST}`, 2)
    try {
      // If the parent exists, only one level is created: on /proc, Node's recursive mkdir never ends.
      const hasParent = existsSync(dirname(path))
      if (!existsSync(path)) await mkdir(path, { recursive: !hasParent, mode: 0o700 })
    } catch (cause) {
      throw new StartError(`the data directory ${path} cannot be created: ${messageOf(cause)}`)
    }
    await demandSafeFolder(path)
    const isOurs = await holdsNothingElse(path)
    const directory = new DataDirectory(path, await lock(path), options)
    if (isOurs) await hideFromGit(path)
    return directory
  }

  /** Opens the list of merchants, and checks that each account has its folder. */
  async openRegistry(): Promise<Registry> {
    await makePrivateFolder(this.#accounts)
    const registry = await this.#readRegistry()
    try {
      await this.#sweep(registry)
    } catch (cause) {
      await registry.close()
      throw cause
    }
    return registry
  }

  async #readRegistry(): Promise<Registry> {
    const path = join(this.path, LIST)
    const file = new ChangeFile({ path, ...this.options })
    const before = join(this.path, OLD_LIST)
    if (!existsSync(path) && existsSync(before)) {
      await file.writeAnew(await readList(before))
      await file.close()
      await rm(before)
    }
    const [account] = existsSync(path) ? [] : await readdir(this.#accounts)
    if (account !== undefined)
      throw new StartError(
        `${path} is missing, but ${this.#accounts} has accounts, such as ${account}: restore the file from a backup, ` +
          'or use another --data to start with an empty directory',
      )
    return Registry.open(file)
  }

  /** Removes the folders of interrupted creations and removals, and reports them. */
  async #sweep(registry: Registry): Promise<void> {
    for (const name of await readdir(this.#accounts)) {
      // What is in the folder of a listed account is looked at when the account is opened.
      if (registry.find(name.replace(/\.(test|live)$/, ''))) continue
      const folder = join(this.#accounts, name)
      if (name.startsWith(REMOVED)) {
        await rm(folder, { recursive: true, force: true })
        continue
      }
      const isOurs = await succeeds(demandPrivateFolder(folder))
      if (isOurs && (await readdir(folder)).length === 0) await rm(folder, { recursive: true })
      else if (isOurs && existsSync(join(folder, MARK))) {
        this.options.warn(
          `${folder} was incomplete, because paysim stopped while it created or removed it; it is removed now`,
        )
        await rm(folder, { recursive: true, force: true })
      } else
        throw new StartError(
          `${folder} belongs to no merchant that ${this.path}/${LIST} names: restore that file from a backup, ` +
            'or move the folder away',
        )
    }
    for (const { id } of registry.merchants)
      for (const environment of ENVIRONMENTS)
        if (!existsSync(this.account(`${id}.${environment}`)))
          throw new StartError(
            `${this.account(`${id}.${environment}`)} is missing: restore it from a backup, or create an empty folder there to ` +
              'start that account from nothing',
          )
  }

  get #accounts(): string {
    return join(this.path, 'accounts')
  }

  /** The folder of an account, which is always inside the directory, whatever the id is. */
  account(id: string): string {
    if (!MERCHANT_ID.test(id.replace(/\.(test|live)$/, ''))) throw new Error(`there is no account ${id}`)
    return join(this.#accounts, id)
  }

  async openAccount(account: Account) {
    const folder = this.account(account.id)
    await makePrivateFolder(folder)
    for (const draft of ['journal.jsonl.new', 'journal.jsonl.old']) await removeFile(join(folder, draft))
    const images = join(folder, 'images')
    await demandPrivateFolder(images)
    const history = await openHistory(account, folder, this.options)
    return { ...history, images: new FileImages(images, this.options.sync) }
  }

  /** Marks the folders. */
  async announceChange(ids: readonly string[]): Promise<void> {
    await together(ids, async id => {
      await makePrivateFolder(this.account(id))
      await (await openPrivate(join(this.account(id), MARK), 'append')).close()
    })
  }

  /** A new folder must survive a power failure before the list names it. */
  async makeSafe(ids: readonly string[]): Promise<void> {
    if (!this.options.sync) return
    await Promise.all([this.#accounts, ...ids.map(id => this.account(id))].map(syncDirectory))
  }

  async endChange(ids: readonly string[]): Promise<void> {
    await together(ids, id => removeFile(join(this.account(id), MARK)))
  }

  /** Renames each folder first, then deletes it. */
  async removeAccounts(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const aside = join(this.#accounts, `${REMOVED}${id}`)
      await rm(aside, { recursive: true, force: true })
      if (!existsSync(this.account(id))) continue
      await rename(this.account(id), aside)
      await rm(aside, { recursive: true, force: true })
    }
  }

  /** The address of the running server, with its control token. */
  async announce(facts: unknown): Promise<void> {
    const path = join(this.path, 'server.json')
    for (const name of [`${path}.new`, path]) await removeFile(name)
    // Never follows a link that somebody else put there.
    await writeFile(`${path}.new`, `${JSON.stringify(facts, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
    await chmod(`${path}.new`, 0o600)
    await rename(`${path}.new`, path)
  }

  async release(): Promise<void> {
    try {
      await removeFile(join(this.path, 'server.json'))
    } finally {
      await this.lock.release()
    }
  }
}

/** The names in a data directory. */
const OWN = /^(accounts|lock|merchants|server)(\.|$)/

/**
 * A directory with another name may contain other files, which git should not ignore. `.paysim` has only paysim's
 * files.
 */
async function holdsNothingElse(path: string): Promise<boolean> {
  return basename(path) === '.paysim' || (await readdir(path)).every(name => OWN.test(name))
}

/** Keys and customers' names must not get into a repository. An existing file is kept. */
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
    if (cause instanceof StartError) throw cause
    if (!(cause instanceof LockHeldError))
      throw new StartError(`the data directory ${path} cannot be written: ${messageOf(cause)}`)
    const holder = cause.pid === process.pid ? 'this process' : 'another paysim'
    throw new StartError(
      `${holder} (pid ${cause.pid}) already serves ${path}: stop it, or use another directory with --data`,
    )
  }
}

/** Earlier versions stored the list as one JSON document. */
async function readList(path: string): Promise<Change[]> {
  let held: {
    readonly version?: unknown
    readonly lastPort?: number
    readonly merchantsMade?: unknown
    readonly merchants?: readonly MerchantRecord[]
  } | null
  try {
    const handle = await openPrivate(path, 'read')
    held = JSON.parse(await handle.readFile('utf8').finally(() => handle.close()))
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    throw new StartError(`${path} cannot be read: ${messageOf(cause)}`)
  }
  if (held?.version !== 1 || !Array.isArray(held.merchants))
    throw new StartError(
      `${path} is not a file that this version of paysim can read: move it away or use another --data`,
    )
  const { lastPort, merchantsMade = 0, merchants } = held
  return [
    { merchantsMade: Number(merchantsMade) },
    ...(lastPort === undefined ? [] : [{ lastPort }]),
    ...merchants.map(merchant => ({ merchant: demandWhole(path, merchant) })),
  ]
}
