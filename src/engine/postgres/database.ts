import pg from 'pg'
import { StartError, StoreError, UnavailableError } from '../store/store-errors.ts'
import type { Reading } from '../time/real-time.ts'
import type { DatabaseAddress } from './database-address.ts'

/** The rows of a statement, and how many rows it wrote. */
interface Result<Row> {
  readonly rows: Row[]
  readonly count: number
}

export type Ask = <Row = never>(text: string, values?: readonly unknown[]) => Promise<Result<Row>>

/** How long the server works on one statement before it gives up. */
const STATEMENT_MS = 30_000
/** How long a connection may be silent before it is closed. */
const SILENCE_MS = 35_000
/** How long a transaction may hold its locks while it waits for a disconnected process. */
const IDLE_IN_TRANSACTION_MS = 5_000

interface DatabaseOptions {
  readonly connections: number
  /** Whether a commit waits until it is safe from a power failure. */
  readonly sync: boolean
  readonly silenceMs?: number
}

/**
 * Closes a connection that fails here, such as for want of a password. Otherwise the server would wait a minute for the
 * password, and so would the end of this process.
 */
class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on('error', () => this.connection.stream.destroy())
  }
}

/** A bounded number of connections. Each statement is prepared once on each of them. */
export class Database {
  readonly #pool: pg.Pool
  #closing: Promise<void> | undefined
  readonly #names = new Map<string, string>()
  /** Told of each statement that fails. */
  onFailure: ((cause: unknown) => void) | undefined

  constructor(address: DatabaseAddress, { connections, sync, silenceMs = SILENCE_MS }: DatabaseOptions) {
    const settings = {
      // Nothing outside the schema is visible.
      search_path: address.schema,
      statement_timeout: Math.min(STATEMENT_MS, silenceMs),
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      // Always set: the server, the database or the user may have another default.
      synchronous_commit: sync ? 'on' : 'off',
    }
    this.#pool = new pg.Pool({
      application_name: 'paysim',
      ...address.config,
      Client,
      max: connections,
      keepAlive: true,
      query_timeout: silenceMs,
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    })
    // A connection that ends while nobody uses it is replaced when it is needed.
    this.#pool.on('error', () => {})
  }

  readonly ask: Ask = (text, values) => this.#ask(this.#pool, text, values)

  async #ask<Row>(
    through: pg.Pool | pg.PoolClient,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Result<Row>> {
    try {
      return resultOf(await through.query(this.#prepared(text, values)))
    } catch (cause) {
      this.onFailure?.(cause)
      throw cause
    }
  }

  /** Executes all statements of the work, or none. */
  readonly transaction = async <T>(work: (ask: Ask) => Promise<T>): Promise<T> => {
    const client = await this.#pool.connect()
    let failure: Error | undefined
    try {
      await client.query('BEGIN')
      const result = await work((text, values) => this.#ask(client, text, values))
      await client.query('COMMIT')
      return result
    } catch (cause) {
      failure = cause instanceof Error ? cause : new Error(String(cause))
      throw cause
    } finally {
      // After a failure, the connection is closed, and the server rolls everything back.
      client.release(failure)
    }
  }

  /** Two connections at once, which a pooler in front may have put on the same session of the server. */
  async sessions(): Promise<readonly [Session, Session]> {
    const one = await this.#pool.connect()
    try {
      // There may be no second one. Then the first must be released all the same, or the end would wait for it.
      const other = await this.#pool.connect()
      try {
        return [await sessionOf(one), await sessionOf(other)]
      } finally {
        other.release()
      }
    } finally {
      one.release()
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool.end()
    return this.#closing
  }

  #prepared(text: string, values: readonly unknown[]) {
    let name = this.#names.get(text)
    if (name === undefined) {
      name = `paysim_${this.#names.size + 1}`
      this.#names.set(text, name)
    }
    return { name, text, values: [...values] }
  }
}

const resultOf = <Row>({ rows, rowCount }: pg.QueryResult): Result<Row> => ({ rows, count: rowCount ?? 0 })

/** A session of the server, and where it looks for tables. */
interface Session {
  readonly pid: number
  readonly path: string
}

async function sessionOf(client: pg.PoolClient): Promise<Session> {
  const { rows } = await client.query<Session>(
    `SELECT pg_backend_pid() AS pid, current_setting('search_path') AS path`,
  )
  const [session] = rows
  if (!session) throw new Error('the server does not say which session this is')
  return session
}

/** PostgreSQL's code for a refused statement. */
const codeOf = (cause: unknown): string | undefined =>
  cause instanceof pg.DatabaseError ? cause.code : undefined

/**
 * Whether the server refused a statement, so that it changed nothing. Otherwise the connection was cut, or the server
 * was shut down meanwhile, and the statement may have been carried out.
 */
export function isRefusal(cause: unknown): boolean {
  const code = codeOf(cause)
  return code !== undefined && !/^(08|57P0)/.test(code)
}

/** The database cannot be used for this. Merchants and payers see the text, and the log names the database. */
export function unavailableBy(what: string, cause: unknown, inDoubt = false): UnavailableError {
  return new UnavailableError(what, storeErrorOf(cause), inDoubt)
}

/** The reason alone, for a caller who was to be told something else. */
export const storeErrorOf = (cause: unknown): StoreError | StartError =>
  cause instanceof StoreError || cause instanceof StartError
    ? cause
    : new StoreError(`${problemOf(cause)}; the log of paysim says more`, { cause })

/** A failure is one that callers may be told. */
export const withStoreError = <T>(work: Promise<T>): Promise<T> =>
  work.catch(cause => {
    throw storeErrorOf(cause)
  })

function problemOf(cause: unknown): string {
  switch (codeOf(cause)) {
    case '25006':
      return 'the database is read-only'
    case '53100':
      return 'the disk of the database is full'
    case '53300':
      return 'the database has no connection left'
    default:
      return isRefusal(cause) ? 'the database refuses it' : 'the database does not answer'
  }
}

const PASSWORD = 'give the password in PGPASSWORD, or in a file that PGPASSFILE names'
const POOLER = 'if a pooler is in front of PostgreSQL, use PostgreSQL directly'

/** Why the store cannot be opened, in one line. */
export function startErrorOf(cause: unknown, { url, schema, config }: DatabaseAddress): StartError {
  if (cause instanceof StartError) return cause
  const why =
    cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : String(cause)
  const user = config.user ?? process.env.PGUSER ?? 'this user'
  // The driver's message if the server asks for a password and there is none.
  if (/password must be a (non-empty )?string/.test(why))
    return new StartError(`${url} asks for a password`, 7, PASSWORD)
  switch (codeOf(cause)) {
    case '28P01':
    case '28000':
      return new StartError(`${url} refuses the user: ${why}`, 7, PASSWORD)
    case '3D000':
      return new StartError(`${url}: ${why}`, 7, 'create it, or name another one')
    case '25006':
      return new StartError(`${url} is read-only, like a standby server`, 7, 'use the primary one')
    case '53100':
      return new StartError(`${url} has no room left on its disk: ${why}`, 7, 'make room there')
    case '53300':
      return new StartError(
        `${url} has no connection left: ${why}`,
        7,
        'raise max_connections, or run fewer processes',
      )
    case '42501':
      return new StartError(
        `${url}: ${why}`,
        2,
        `allow it: GRANT CREATE ON DATABASE … TO ${user}, or create the schema ${schema} for this user`,
      )
    case '08P01':
      return new StartError(`${url} refuses a session setting: ${why}`, 2, POOLER)
    default:
      return new StartError(`cannot use ${url}: ${why}`, 7)
  }
}

/** The pooler does not give each client its own session, or does not pass on the settings of the session. */
export async function refusePooler(database: Database, { url, schema }: DatabaseAddress): Promise<void> {
  const [one, other] = await database.sessions()
  if (one.pid === other.pid)
    throw new StartError(`${url} is a pooler that shares sessions between transactions`, 2, POOLER)
  if (one.path !== schema)
    throw new StartError(`${url} does not accept session settings, such as search_path`, 2, POOLER)
}

/** How long nothing must fail until an outage is over. On a full disk, some statements still succeed. */
const QUIET_MS = 5000
/** How many problems of one outage are reported. */
const MOST_SAID = 8

/**
 * Says in the log what is wrong with the database and what to do about it, each problem once, and later that it works
 * again. An outage may begin with a closed connection, and only the next attempt shows why.
 */
export class Outage {
  readonly #said = new Set<string>()
  #failedAt = 0

  constructor(
    private readonly address: DatabaseAddress,
    private readonly monotonic: Reading,
    private readonly warn: (message: string) => void,
  ) {}

  /** A statement failed. */
  failed(cause: unknown): void {
    this.#failedAt = this.monotonic()
    const { message } = startErrorOf(cause, this.address)
    if (this.#said.has(message) || this.#said.size >= MOST_SAID) return
    const isFirst = this.#said.size === 0
    this.#said.add(message)
    this.warn(isFirst ? `${message}. Until it works again, calls that need it get 503` : message)
  }

  /** The lease was renewed, so the database can be written. */
  worked(): void {
    if (this.#said.size === 0 || this.monotonic() - this.#failedAt < QUIET_MS) return
    this.#said.clear()
    this.warn(`${this.address.url} works again`)
  }
}
