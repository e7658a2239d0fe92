import { constants, lstatSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { openSealed, readLines, sealLine } from '../journal/journal-format.ts'
import {
  openPrivate,
  replaceFile,
  succeeds,
  syncDirectory,
  unless,
  useFile,
  writeAll,
} from './private-files.ts'
import { messageOf, StartError } from './store-errors.ts'

/**
 * What a clean stop left: a line for each account and for the list of merchants, with the name, size and tail of every
 * file. Whatever differs at the next start is a loss. Before the first write to an account, a mark is appended for it,
 * and from then on its line counts no more: a seal never vouches for a later state, and after a kill it still vouches
 * for the accounts that were not written to.
 */

/** A file as a stop left it: its name, its size, and the checksum of its last bytes. */
export type SealedFile = readonly [name: string, size: number, tail: string]

/** The line of the list of merchants. */
interface SealedList {
  readonly sealed: string
  /** The wall time of the stop. */
  readonly at: number
  readonly files: readonly SealedFile[]
  /** How many lines follow it. */
  readonly accounts: number
}

/** The line of an account. */
export interface SealedAccount {
  readonly sealed: string
  /** The number of its last entry. */
  readonly seq: number
  /** Of its ids. */
  readonly seed: string
  /** How often that seed was drawn anew because nobody knew what had been lost. */
  readonly draws: number
  /** The time of its clock. */
  readonly time: number
  /** The wall time at which it must be open; null if only a call needs it. */
  readonly next_due: number | null
  readonly files: readonly SealedFile[]
}

/** It was written to since. */
interface Opened {
  readonly opened: string
  readonly draws: number
}

/** The name of the list of merchants in the seal. No account has it. */
export const LIST = 'merchants.jsonl'
/** The journal in the folder of an account. */
export const JOURNAL = 'journal.jsonl'

const lineOf = (content: SealedList | SealedAccount | Opened) => sealLine(JSON.stringify(content))

export class Seal {
  /** The lines that still count, as text: there may be many, and few are asked for. */
  readonly #sealed = new Map<string, string>()
  /** The marks in the file. */
  readonly #marked = new Map<string, number>()
  /** What this process writes to now. */
  readonly #written = new Set<string>()
  #stoppedAt = 0
  #isChanged = false
  #waiting = new Map<string, number>()
  #next: Promise<void> | undefined
  #turn: Promise<void> = Promise.resolve()
  #handle: FileHandle | undefined
  #end = 0

  private constructor(
    private readonly path: string,
    private readonly sync: boolean,
  ) {}

  static async read(
    path: string,
    { sync, warn }: { readonly sync: boolean; readonly warn: (message: string) => void },
  ): Promise<Seal> {
    const seal = new Seal(path, sync)
    const handle = await openPrivate(path, 'read').catch(unless('ENOENT'))
    if (!handle) return seal
    try {
      await seal.#read(handle)
    } catch (cause) {
      seal.#sealed.clear()
      seal.#marked.clear()
      warn(
        `${messageOf(cause)}. So it is not known how the last stop left the files, and they are read as after a kill`,
      )
    } finally {
      await handle.close()
    }
    return seal
  }

  async #read(handle: FileHandle): Promise<void> {
    let accounts = 0
    let announced = 0
    for await (const { text, number, terminated, offset, length } of readLines(handle)) {
      // A mark that a kill cut short: nothing was written after it.
      if (!terminated && number > 1) break
      let content: SealedList | SealedAccount | Opened
      try {
        content = openSealed(text)
      } catch (cause) {
        throw new Error(`${this.path}:${number}: this line is damaged: ${messageOf(cause)}`)
      }
      if ('opened' in content) {
        this.#sealed.delete(content.opened)
        this.#marked.set(content.opened, content.draws)
      } else {
        this.#sealed.set(content.sealed, text)
        if ('accounts' in content) {
          this.#stoppedAt = content.at
          announced = content.accounts
        } else accounts++
      }
      this.#end = offset + length + 1
    }
    if (accounts < announced)
      throw new Error(`${this.path} has ${accounts} accounts, but it was written with ${announced}`)
  }

  /** The wall time of the last clean stop. */
  get stoppedAt(): number {
    return this.#stoppedAt
  }

  /** The accounts that nothing was written to since a clean stop. */
  *accounts(): Generator<SealedAccount> {
    for (const name of this.#sealed.keys()) {
      const account = this.account(name)
      if (account) yield account
    }
  }

  account(name: string): SealedAccount | undefined {
    const text = name === LIST ? undefined : this.#sealed.get(name)
    return text === undefined ? undefined : openSealed<SealedAccount>(text)
  }

  get list(): SealedList | undefined {
    const text = this.#sealed.get(LIST)
    return text === undefined ? undefined : openSealed<SealedList>(text)
  }

  /** How often the seed of the ids was drawn anew; undefined if the seal does not know the account. */
  draws(name: string): number | undefined {
    return this.#marked.get(name) ?? this.account(name)?.draws
  }

  /** Whether this process has written to the account since it was opened. */
  isBroken(name: string): boolean {
    return this.#written.has(name)
  }

  /** Call it before each write to the files of an account. When it resolves, its line counts no more. */
  break(name: string, draws = 0): Promise<void> | undefined {
    if (this.#written.has(name)) return undefined
    if (this.#marked.get(name) === draws && !this.#sealed.has(name)) {
      this.#written.add(name)
      return undefined
    }
    this.#waiting.set(name, draws)
    this.#next ??= this.#mark()
    return this.#next
  }

  /** Marks that are needed while others are written share the next write. */
  #mark(): Promise<void> {
    const done = this.#turn.then(async () => {
      const marks = [...this.#waiting]
      this.#waiting = new Map()
      this.#next = undefined
      await this.#append(marks.map(([opened, draws]) => lineOf({ opened, draws })).join(''))
      for (const [name, draws] of marks) {
        this.#sealed.delete(name)
        this.#marked.set(name, draws)
        this.#written.add(name)
      }
      this.#isChanged = true
    })
    this.#turn = done.catch(() => {})
    return done
  }

  async #append(text: string): Promise<void> {
    try {
      const isNew = !this.#handle
      this.#handle ??= await openPrivate(this.path, 'append')
      // Removes a mark that was cut short.
      if (isNew) await this.#handle.truncate(this.#end)
      const bytes = Buffer.from(text)
      await writeAll(this.#handle, bytes)
      if (this.sync) {
        await this.#handle.datasync()
        if (isNew) await syncDirectory(dirname(this.path))
      }
      this.#end += bytes.length
    } catch (cause) {
      // It is opened again, and shortened then if that cannot be done now.
      if (this.#handle) await succeeds(this.#handle.truncate(this.#end))
      await this.close()
      throw cause
    }
  }

  /** Takes what a stop leaves. */
  note(line: SealedAccount | Omit<SealedList, 'accounts'>): void {
    this.#sealed.set(line.sealed, lineOf('seq' in line ? line : { ...line, accounts: 0 }).trimEnd())
    this.#written.delete(line.sealed)
    this.#isChanged = true
  }

  /** It is removed, or what it has lost is accepted: its line counts no more. */
  forget(name: string): void {
    this.#sealed.delete(name)
    this.#written.delete(name)
    this.#marked.delete(name)
    this.#isChanged = true
  }

  /** Written last at a clean stop. Nothing changes if nothing was written to. */
  async write(): Promise<void> {
    await this.#turn
    await this.close()
    if (!this.#isChanged) return
    await replaceFile(this.path, this.#lines(), handle => handle.close())
  }

  *#lines(): Generator<string> {
    const { list } = this
    const accounts = [...this.#sealed].filter(([name]) => name !== LIST)
    if (list) yield lineOf({ ...list, accounts: accounts.length })
    for (const [, text] of accounts) yield `${text}\n`
    for (const [opened, draws] of this.#marked) if (!this.#sealed.has(opened)) yield lineOf({ opened, draws })
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

/** So many bytes at the end of a file are checked. */
const TAIL_BYTES = 4096

/** The files of a folder as they are now. */
export async function sealFiles(folder: string, names: readonly string[]): Promise<SealedFile[]> {
  const files: SealedFile[] = []
  for (const name of names)
    await useFile(join(folder, name), 'read', async handle => {
      const { size } = await handle.stat()
      files.push([name, size, checksumOf(await tailOf(handle, size))])
    })
  return files
}

/** How a file differs from what the last clean stop left, in words. More than there was is no loss. */
export async function differenceOf(
  folder: string,
  [name, size, tail]: SealedFile,
): Promise<string | undefined> {
  const path = join(folder, name)
  const handle = await openPrivate(path, 'read').catch(unless('ENOENT'))
  if (!handle) return 'it is missing'
  try {
    const now = (await handle.stat()).size
    if (now < size) return `it has ${now} bytes, but it had ${size} at the last stop`
    const bytes = await tailOf(handle, size)
    if (checksumOf(bytes) === tail) return undefined
    return bytes.every(byte => byte === 0)
      ? 'its end is zeros now'
      : 'its end is not the one that the last stop left'
  } finally {
    await handle.close()
  }
}

/**
 * Whether all files have the sizes that the last clean stop left, in folders that are private. Nothing is read. It blocks, because a start asks for
 * each of very many files, and a promise takes ten times as long as the question.
 */
export function haveSizes(folder: string, files: readonly SealedFile[]): boolean {
  const paths = files.map(([name]) => join(folder, name))
  try {
    return (
      [folder, ...new Set(paths.map(dirname))].every(isPrivate) &&
      files.every(([, size], nth) => lstatSync(paths[nth] ?? '').size === size)
    )
  } catch {
    // The opening of the account finds out what is wrong.
    return false
  }
}

/** Whether the ends of the files are as they were left, too. */
export async function haveEnds(folder: string, files: readonly SealedFile[]): Promise<boolean> {
  try {
    for (const file of files) if (await differenceOf(folder, file)) return false
    return true
  } catch {
    // The opening finds out what is wrong.
    return false
  }
}

export const journalOf = ({ files }: SealedAccount) => files.filter(([name]) => name === JOURNAL)

/** What an account can go on without: its checkpoint, if the whole journal is there, closed segments, and images. */
export async function damagedParts(folder: string, sealed: SealedAccount | undefined) {
  const found: { readonly name: string; readonly what: string }[] = []
  for (const file of sealed?.files ?? []) {
    const [name] = file
    if (name === JOURNAL) continue
    const why = await differenceOf(folder, file).catch(cause => {
      // A file that paysim may not read is as good as lost.
      if (cause instanceof StartError) return cause
      throw cause
    })
    if (why !== undefined)
      found.push({ name, what: typeof why === 'string' ? `${join(folder, name)}: ${why}` : why.message })
  }
  const isOfCheckpoint = ({ name }: { name: string }) => /^past-\d+[\\/](checkpoint|layer-)/.test(name)
  return {
    checkpoint: found.find(isOfCheckpoint)?.what,
    history: found.filter(part => !isOfCheckpoint(part)),
  }
}

/** Whether only its owner can change what is in it. */
function isPrivate(folder: string): boolean {
  const { uid, mode } = lstatSync(folder)
  const isFolder = (mode & constants.S_IFMT) === constants.S_IFDIR
  return isFolder && (mode & 0o022) === 0 && uid === (process.getuid?.() ?? uid)
}

async function tailOf(handle: FileHandle, size: number): Promise<Buffer> {
  const start = Math.max(0, size - TAIL_BYTES)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
  return buffer.subarray(0, bytesRead)
}

const checksumOf = (bytes: Buffer) => crc32(bytes).toString(16).padStart(8, '0')
