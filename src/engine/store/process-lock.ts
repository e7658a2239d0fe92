import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, open, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeFile } from './private-files.ts'

/** Another process holds the lock. */
export class LockHeldError extends Error {
  constructor(
    readonly path: string,
    readonly pid: number,
  ) {
    super(`${path} is held by process ${pid}`)
  }
}

/** How often a holder touches its claim, for those who cannot see its process, such as another container. */
const HEARTBEAT_MS = 1_000
/** How long they wait before they consider the holder dead. */
const SILENCE_MS = 4_000
const POLL_MS = 10
/** Two processes that start at the same moment decide within a few polls. */
const CONTENTION_MS = 5_000
const HELD = 'held\n'
let claims = 0

/**
 * A lock with one holder among all processes that use the same path. Each process creates a claim: its own file next
 * to the path, whose name identifies the process. A process that then sees no other living claim holds the lock; of
 * two, the later one sees the earlier. No file is shared, so anyone can remove the claim of a dead process at any
 * time, and nobody can break a living lock.
 */
export class ProcessLock {
  readonly #heartbeat: NodeJS.Timeout

  private constructor(private readonly claim: string) {
    // The flag opens only an existing file, so a removed claim is not created again.
    const touch = () => writeFile(claim, HELD, { flag: 'r+' }).catch(() => {})
    this.#heartbeat = setInterval(touch, HEARTBEAT_MS).unref()
  }

  /** Waits for another holder as long as given; then throws a `LockHeldError`. */
  static async take(path: string, { patienceMs = 0 } = {}): Promise<ProcessLock> {
    // A random delay, so that many waiting processes do not retry together.
    const pauseMs = POLL_MS + (process.pid % POLL_MS)
    for (let waitedMs = 0; ; waitedMs += pauseMs) {
      const mine = join(dirname(path), nameOf({ lock: basename(path), ...here(), nth: ++claims }))
      const holder = await contend(path, mine)
      if (holder === undefined) return new ProcessLock(mine)
      if (waitedMs >= patienceMs) throw new LockHeldError(path, holder)
      await pause(pauseMs)
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat)
    await removeFile(this.claim)
  }
}

/**
 * Creates the claim and keeps it, unless another process holds the lock or was first; then returns its pid.
 */
async function contend(path: string, mine: string): Promise<number | undefined> {
  await (await open(mine, 'wx', 0o600)).close()
  try {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const others = await livingClaims(path, basename(mine))
      if (others.length === 0) {
        await writeFile(mine, HELD)
        return undefined
      }
      // Of the contending processes, the first by name stays; a holder always wins.
      const winner = others.find(({ held }) => held) ?? others.find(({ name }) => name < basename(mine))
      if (winner || waitedMs > CONTENTION_MS) {
        await removeFile(mine)
        return (winner ?? others[0])?.pid ?? 0
      }
      await pause(POLL_MS)
    }
  } catch (cause) {
    await removeFile(mine)
    throw cause
  }
}

interface Claim extends ProcessName {
  readonly name: string
  readonly held: boolean
}

/** The claims of other living processes. Claims of dead ones are removed. */
async function livingClaims(path: string, mine: string): Promise<Claim[]> {
  const living: Claim[] = []
  for (const name of await readdir(dirname(path))) {
    const claim = name === mine ? undefined : readName(basename(path), name)
    if (!claim) continue
    const file = join(dirname(path), name)
    if (await isAlive(claim, file)) living.push({ ...claim, name, held: await isHeld(file) })
    else await removeFile(file)
  }
  return living.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The file is not opened: another user's claim counts too, and a pipe with such a name would block the start. */
const isHeld = (claim: string) =>
  lstat(claim).then(
    found => found.isFile() && found.size > 0,
    () => false,
  )

async function isAlive(claim: ProcessName, file: string): Promise<boolean> {
  const { host, boot, namespace } = here()
  const sameHost = claim.host === host
  if (sameHost && claim.boot !== boot) return false
  if (sameHost && claim.namespace === namespace) return startOf(claim.pid) === claim.start
  // A process that is not visible here counts as living as long as it touches its claim.
  const touchedAt = () =>
    lstat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    )
  const before = await touchedAt()
  for (let waitedMs = 0; waitedMs < SILENCE_MS; waitedMs += HEARTBEAT_MS / 4) {
    await pause(HEARTBEAT_MS / 4)
    const now = await touchedAt()
    if (now === undefined) return false
    if (now !== before) return true
  }
  return false
}

/** Identifies a process, even among later ones with the same pid. */
interface ProcessName {
  readonly pid: number
  readonly start: string
  readonly namespace: string
  readonly boot: string
  readonly host: string
}

const nameOf = ({ lock, nth, ...of }: ProcessName & { lock: string; nth: number }) =>
  [lock, of.pid, of.start, of.namespace, of.boot, of.host, nth].join('.')

function readName(lock: string, name: string): ProcessName | undefined {
  if (!name.startsWith(`${lock}.`)) return undefined
  const parts = /^(\d+)\.(\w+)\.(\w+)\.(\w+)\.(\w+)\.\d+$/.exec(name.slice(lock.length + 1))
  if (!parts) return undefined
  const [, pid = '', start = '', namespace = '', boot = '', host = ''] = parts
  return { pid: Number(pid), start, namespace, boot, host }
}

/** Node's cryptography is loaded only where something is hashed: commands that ask whether a process runs need none. */
const short = (text: string) =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 8)

let self: ProcessName | undefined
function here(): ProcessName {
  self ??= {
    pid: process.pid,
    start: startOf(process.pid) ?? UNKNOWN_START,
    namespace: short(attempt(() => readlinkSync('/proc/self/ns/pid')) ?? ''),
    boot: short(attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? ''),
    host: short(hostname()),
  }
  return self
}

/** Stands for the start of a process where the system does not say it. */
const UNKNOWN_START = '0'

/** The start time of a process, in units of its system; undefined if it does not exist or is a zombie. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const status = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    // The program's name is in brackets and may contain anything.
    const [state, ...fields] = status?.slice(status.lastIndexOf(')') + 2).split(' ') ?? []
    if (state !== undefined) return state === 'Z' || state === 'X' ? undefined : fields[18]
  } else if (process.platform !== 'win32') {
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const began = attempt(() =>
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }),
    )
    if (began?.trim()) return short(began.trim())
  }
  return isRunning(pid) ? UNKNOWN_START : undefined
}

/** Whether a process with this id runs, of whichever user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
}

/** What is read; undefined where the system does not have it. */
function attempt(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
