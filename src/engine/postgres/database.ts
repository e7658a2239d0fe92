import pg from 'pg'
import type { DatabaseAddress } from './database-address.ts'

/** The rows of a statement, and how many rows it wrote. */
export interface Result<Row> {
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
