import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Account } from '../account/account.ts'
import { randomCount, randomSeed } from '../account/ids.ts'
import { openHistory } from '../checkpoint/open-history.ts'
import { beginJournal } from '../journal/journal-file.ts'
import type { HistoryKept } from '../journal/journal-segments.ts'
import { firstDamage } from '../journal/replay.ts'
import type { Reading } from '../time/real-time.ts'
import { inParallel, inSlices } from '../time/scheduling.ts'
import { acceptLoss, type LossAccepted } from './accept-loss.ts'
import { ChangeFile } from './change-log.ts'
import { FileImages } from './file-images.ts'
import { MERCHANT_ID } from './merchant-record.ts'
import {
  demandPrivateFolder,
  demandSafeFolder,
  makePrivateFolder,
  openPrivate,
  removeFile,
  succeeds,
  syncDirectory,
  unless,
  writeAll,
} from './private-files.ts'
import { LockHeldError, ProcessLock } from './process-lock.ts'
import { Registry } from './registry.ts'
import {
  damagedParts,
  differenceOf,
  haveEnds,
  haveSizes,
  JOURNAL,
  journalOf,
  LIST,
  Seal,
  type SealedAccount,
  sealFiles,
} from './seal.ts'
import type { AccountStore, KnownAccounts, SharedSetting, Store } from './store.ts'
import { commandFor, LossError, messageOf, StartError } from './store-errors.ts'

interface DirectoryOptions {
  readonly sync: boolean
  readonly history?: HistoryKept | undefined
  readonly wall: Reading
  readonly mustExist?: boolean
  /** Changes nothing; whatever a start would pass over or remove is only said. */
  readonly readOnly?: boolean
  /** When a checkpoint is written, and when a segment is closed, if not after the usual number of entries and bytes. */
  readonly every?: number
  readonly segmentBytes?: number
  readonly warn: (message: string) => void
}

/**
 * This mark is in an account's folder while it is created or removed, when the list of merchants may differ from the
 * folders. The list decides: a marked folder that it does not name was left by an interrupted change.
 */
const MARK = 'uncommitted'
const ACCOUNTS = 'accounts'
const SEAL = 'seal.jsonl'
/** No merchant's id starts like this. */
const REMOVED = '.removed-'

/** A store in a directory: its layout, and its lock, because one process at a time uses it. */
export class DataDirectory implements Store {
  #seal: Seal | undefined
  #registry: Registry | undefined
  /** Once the loss of the list is accepted: where the folders are kept of which it names no merchant any more. */
  #orphans: string[] | undefined

  private constructor(
    readonly path: string,
    private readonly lock: ProcessLock,
    private readonly options: DirectoryOptions,
  ) {}

  get url(): string {
    return `file:${this.path}`
  }

  static async claim(path: string, options: DirectoryOptions): Promise<DataDirectory> {
    if (options.mustExist && ![LIST, ACCOUNTS].some(name => existsSync(join(path, name))))
      throw new StartError(`${path} contains no paysim data: it has no ${LIST}`, 2)
    try {
      // If the parent exists, only one level is created: on /proc, Node's recursive mkdir never ends.
      const hasParent = existsSync(dirname(path))
      if (!existsSync(path)) {
        await mkdir(path, { recursive: !hasParent, mode: 0o700 })
        if (options.sync && hasParent) await syncDirectory(dirname(path))
      }
    } catch (cause) {
      throw new StartError(`the data directory ${path} cannot be created: ${messageOf(cause)}`)
    }
    await demandSafeFolder(path)
    const isOurs = await holdsNothingElse(path)
    const directory = new DataDirectory(path, await lock(path), options)
    if (isOurs) await hideFromGit(path)
    return directory
  }

  /** Opens the list of merchants, and checks that each folder belongs to one of them. */
  async openRegistry(): Promise<Registry> {
    await makePrivateFolder(this.#accounts)
    const registry = await this.#readRegistry(await this.#readSeal())
    try {
      await this.#sweep(registry)
      // The first entries of the directory itself must survive a power failure, too.
      if (this.options.sync) await syncDirectory(this.path)
    } catch (cause) {
      await registry.close()
      throw cause
    }
    this.#registry = registry
    return registry
  }

  async #readRegistry(seal: Seal): Promise<Registry> {
    const path = join(this.path, LIST)
    const file = new ChangeFile({
      path,
      ...this.options,
      beforeWrite: () => seal.break(LIST),
      onClosed: () => this.#sealList(seal),
    })
    const [account] = existsSync(path) ? [] : await readdir(this.#accounts)
    if (account !== undefined)
      throw new StartError(
        `${path} is missing, but ${this.#accounts} has accounts, such as ${account}: restore the file from a backup, ` +
          'or use another --data to start with an empty directory',
      )
    const [sealed] = seal.list?.files ?? []
    const why = sealed && (await differenceOf(this.path, sealed))
    if (why !== undefined) {
      if (!this.options.readOnly)
        throw (await firstDamage(path)) ?? new LossError(path, why).of(LIST, this.url)
      this.options.warn(`${path}: ${why}`)
    }
    return Registry.open(file)
  }

  async #sealList(seal: Seal): Promise<void> {
    if (seal.list && !seal.isBroken(LIST)) return
    try {
      const files = await sealFiles(this.path, [LIST])
      seal.note({ sealed: LIST, at: this.options.wall(), files })
    } catch (cause) {
      this.options.warn(
        `${this.path}: what ${LIST} has cannot be noted for the next start: ${messageOf(cause)}`,
      )
    }
  }

  /** Removes the folders of interrupted creations and removals, and reports them. */
  async #sweep(registry: Registry): Promise<void> {
    const { readOnly } = this.options
    for (const name of await readdir(this.#accounts)) {
      // What is in the folder of a listed account is looked at when the account is opened.
      if (registry.find(name.replace(/\.(test|live)$/, ''))) continue
      const folder = join(this.#accounts, name)
      if (name.startsWith(REMOVED)) {
        if (!readOnly) await rm(folder, { recursive: true, force: true })
        continue
      }
      const isOurs = await succeeds(demandPrivateFolder(folder))
      if (isOurs && (await readdir(folder)).length === 0) {
        if (!readOnly) await rm(folder, { recursive: true })
      } else if (isOurs && existsSync(join(folder, MARK))) {
        if (readOnly) continue
        this.options.warn(
          `${folder} was incomplete, because paysim stopped while it created or removed it; it is removed now`,
        )
        await rm(folder, { recursive: true, force: true })
      } else if (isOurs && this.#orphans) this.#orphans.push(await this.#keepAside(folder))
      else
        throw new StartError(
          `${folder} belongs to no merchant that ${this.path}/${LIST} names: restore that file from a backup, ` +
            `or move the folder away; \`${commandFor(this.url, LIST)}\` keeps such folders aside`,
        )
    }
  }

  /** Nothing is thrown away: with a backup of the list, the folder can be put back. */
  async #keepAside(folder: string): Promise<string> {
    for (let nth = 1; ; nth++) {
      const kept = join(this.path, `lost-${nth}`)
      await makePrivateFolder(kept)
      const to = join(kept, basename(folder))
      if (existsSync(to)) continue
      await rename(folder, to)
      return to
    }
  }

  get #accounts(): string {
    return join(this.path, ACCOUNTS)
  }

  /** The folder of an account, which is always inside the directory, whatever the id is. */
  account(id: string): string {
    if (!MERCHANT_ID.test(merchantOf(id))) throw new Error(`there is no account ${id}`)
    return join(this.#accounts, id)
  }

  /** Throws a `LossError` if something is missing that the account cannot do without. */
  async openAccount(account: Account): Promise<AccountStore> {
    try {
      return await this.#openAccount(account)
    } catch (cause) {
      throw cause instanceof LossError ? cause.of(account.id, this.url) : cause
    }
  }

  async #openAccount(account: Account): Promise<AccountStore> {
    const { id } = account
    const { sync, readOnly, warn } = this.options
    const folder = this.account(id)
    const seal = await this.#readSeal()
    const sealed = await this.#demandJournal(id, seal)
    if (!readOnly)
      for (const draft of ['journal.jsonl.new', 'journal.jsonl.old']) await removeFile(join(folder, draft))
    await demandPrivateFolder(join(folder, 'images'))
    const damaged = await damagedParts(folder, sealed)
    for (const { what } of damaged.history) warn(`${what}; what was in it answers 503 until it is restored`)
    const draws = seal.draws(id)
    // What was written since its last clean stop may be lost in part, and with it ids that were given.
    const isCertain = sealed ? haveSizes(folder, journalOf(sealed)) : draws === undefined
    const next = (draws ?? randomCount()) + 1
    let drawn = draws ?? 0
    const beforeWrite = () => seal.break(id, drawn)
    const images = new FileImages(join(folder, 'images'), sync, beforeWrite)
    const { journal, checkpoints } = await openHistory(account, folder, {
      ...this.options,
      damage: damaged.checkpoint,
      isSealed: sealed !== undefined,
      beforeWrite,
      onClosed: async ({ seq, seed, time, wakeMs }) => {
        if (readOnly || (sealed && !seal.isBroken(id))) return
        // What was lost is said again at each start, until that is accepted.
        const lost = (sealed?.files ?? []).filter(([name]) =>
          damaged.history.some(part => part.name === name),
        )
        try {
          const past = (checkpoints?.files ?? []).map(name => join(basename(journal.folder), name))
          const packs = (await images.names()).map(name => join('images', name))
          const names = [...journal.files, ...past, ...packs]
          const there = names.filter(name => !lost.some(([missing]) => missing === name))
          const files = [...(await sealFiles(folder, there)), ...lost]
          seal.note({ sealed: id, seq, seed, draws: drawn, time, next_due: wakeMs, files })
        } catch (cause) {
          warn(`${folder}: what it has cannot be noted for the next start: ${messageOf(cause)}`)
        }
      },
    })
    if (sealed && isCertain) journal.goOnWith(sealed.seed)
    else if (this.#names(id) && (!isCertain || account.world.moves > 0)) {
      drawn = next
      const isSeeded = this.#registry?.find(merchantOf(id))?.seeded
      journal.drawAnew(account.seed, isSeeded ? String(next) : randomSeed())
    }
    if (!sealed)
      for (const name of await images.missingPacks())
        warn(`${join(folder, 'images', name)} is missing; what was in it answers 503 until it is restored`)
    return { journal, checkpoints, images, stoppedAt: sealed?.time }
  }

  /** Whether the list of merchants names the account. Otherwise it is being created. */
  #names(id: string): boolean {
    return this.#registry?.find(merchantOf(id)) !== undefined
  }

  async #readSeal(): Promise<Seal> {
    this.#seal ??= await Seal.read(join(this.path, SEAL), this.options)
    return this.#seal
  }

  /** The journal of an account exists before the list names it. Returns what a clean stop noted, if that counts. */
  async #demandJournal(id: string, seal: Seal): Promise<SealedAccount | undefined> {
    const folder = this.account(id)
    const path = join(folder, JOURNAL)
    const { readOnly, sync } = this.options
    if (!this.#names(id)) {
      // An account of that name that was removed is not this one.
      if (seal.draws(id) !== undefined) await seal.break(id)
      await makePrivateFolder(folder)
      await beginJournal(path, sync)
      return undefined
    }
    if (!(await demandPrivateFolder(folder))) throw new LossError(path, 'its folder is missing')
    if (!readOnly) await makePrivateFolder(folder)
    const found = await lstat(path).catch(unless('ENOENT'))
    if (!found) throw new LossError(path, 'it is missing')
    const sealed = seal.account(id)
    if (sealed) {
      const [journal] = journalOf(sealed)
      const why = journal && found.isFile() ? await differenceOf(folder, journal) : undefined
      if (why !== undefined) throw (await firstDamage(path)) ?? new LossError(path, why)
    } else if (found.isFile() && found.size === 0) {
      throw new LossError(path, 'it is empty, but it never was since it was created')
    }
    return sealed
  }

  /** Call it before an account is opened, or the list. From then on the ids of the account are others. */
  async acceptLoss(name: string): Promise<LossAccepted> {
    const seal = await this.#readSeal()
    if (name === LIST) {
      seal.forget(LIST)
      this.#orphans = []
      return { last: 0, aside: this.#orphans }
    }
    const seed = seal.account(name)?.seed
    await seal.break(name, seal.draws(name) ?? randomCount())
    return acceptLoss(this.account(name), { seed, warn: this.options.warn })
  }

  /** What is known of the accounts without opening them: only of those whose files are as the last stop left them. */
  async known(): Promise<KnownAccounts> {
    const seal = await this.#readSeal()
    const wakeMs = new Map<string, number | null>()
    const few: SealedAccount[] = []
    await inSlices(seal.accounts(), AT_ONCE, account => {
      const { sealed, next_due, files } = account
      if (!this.#names(sealed) || !haveSizes(this.account(sealed), files)) return
      wakeMs.set(sealed, next_due)
      if (few.length <= FEW_ACCOUNTS) few.push(account)
    })
    // The ends of a few files are read at once, so that the start says what is wrong with them. With many accounts, each
    // is read when it is opened.
    if (wakeMs.size <= FEW_ACCOUNTS)
      for (const { sealed, files } of few)
        if (!(await haveEnds(this.account(sealed), files))) wakeMs.delete(sealed)
    return { sealedMs: seal.stoppedAt, wakeMs }
  }

  /** Marks the folders. */
  async announceChange(ids: readonly string[]): Promise<void> {
    await inParallel(ids, async id => {
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
    await inParallel(ids, id => removeFile(join(this.account(id), MARK)))
  }

  /** Renames each folder first, then deletes it. */
  async removeAccounts(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#seal?.forget(id)
      const aside = join(this.#accounts, `${REMOVED}${id}`)
      await rm(aside, { recursive: true, force: true })
      if (!existsSync(this.account(id))) continue
      await rename(this.account(id), aside)
      await rm(aside, { recursive: true, force: true })
    }
  }

  /**
   * One process serves a directory, so its settings can differ from those of no other. A value that nobody gave, which is the
   * control token, is kept, so that it is the same at the next start.
   */
  async agree(settings: readonly SharedSetting[]): Promise<ReadonlyMap<string, string>> {
    const agreed = new Map<string, string>()
    for (const { name, given, otherwise } of settings)
      agreed.set(name, given ?? (await this.#kept(name.replaceAll(' ', '-'), otherwise)))
    return agreed
  }

  async #kept(name: string, otherwise: () => string): Promise<string> {
    const file = await openPrivate(join(this.path, name), 'append')
    try {
      const kept = (await file.readFile('utf8')).trim()
      // It is empty if paysim was killed before it wrote to it.
      if (kept !== '') return kept
      const value = otherwise()
      await writeAll(file, Buffer.from(`${value}\n`))
      return value
    } finally {
      await file.close()
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
      // The very last write: from now on it says how everything was left.
      if (!this.options.readOnly && this.#registry && this.#registry.size > 0) await this.#seal?.write()
    } catch (cause) {
      this.options.warn(
        `${join(this.path, SEAL)} cannot be written, so the next start reads as after a kill: ${messageOf(cause)}`,
      )
    } finally {
      await this.#seal?.close()
      await this.lock.release()
    }
  }
}

const merchantOf = (account: string) => account.replace(/\.(test|live)$/, '')

/** Accounts that are compared with the seal between two looks at the clock. */
const AT_ONCE = 8
/** Their last bytes are read in a few hundredths of a second. */
const FEW_ACCOUNTS = 100

/** The names in a data directory. */
const OWN = /^(accounts|control-token|lock|lost-\d+|merchants|seal|server|webhook-secret)(\.|$)/

/**
 * A directory with another name may contain other files, which git should not ignore. `.paysim` has only paysim's
 * files.
 */
async function holdsNothingElse(path: string): Promise<boolean> {
  return basename(path) === '.paysim' || (await readdir(path)).every(name => OWN.test(name))
}

/** Keys and customers' names must not get into a repository. An existing file is kept. */
async function hideFromGit(path: string): Promise<void> {
  await writeFile(join(path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(unless('EEXIST'))
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
      2,
    )
  }
}
