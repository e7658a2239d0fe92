import { SYSTEM_CLOCKS } from '../time/real-time.ts'
import { Database, refusePooler, startErrorOf } from './database.ts'
import { type DatabaseAddress, readDatabaseAddress } from './database-address.ts'
import { readServing, type ServingProcess } from './lease.ts'
import { stepsTaken } from './schema.ts'

/** A diagnosis must not take as long as a payment may. */
const SILENCE_MS = 5000

/** What the server reports about itself and this session. */
export interface PostgresFacts {
  readonly version: string
  /** Such as 150008 for 15.8. */
  readonly number: number
  readonly user: string
  /** The version of TLS, or null. */
  readonly tls: string | null
  readonly readOnly: boolean
  /** The settings without which the server may lose what it has confirmed. */
  readonly fsync: boolean
}

export interface ConnectionFacts {
  /** How many this user may have in all, and how many are in use. */
  readonly most: number
  readonly used: number
}

/** Checks a database as a start would, and changes nothing. Each problem is a StartError. */
export class DatabaseInspection {
  private constructor(
    private readonly address: DatabaseAddress,
    private readonly database: Database,
  ) {}

  static of(url: string): DatabaseInspection {
    const address = readDatabaseAddress(url)
    return new DatabaseInspection(
      address,
      new Database(address, { connections: 2, sync: true, silenceMs: SILENCE_MS }),
    )
  }

  /** Without credentials. */
  get url(): string {
    return this.address.url
  }

  get schema(): string {
    return this.address.schema
  }

  server(): Promise<PostgresFacts> {
    return this.#withStartError(async () => {
      const server = await this.#one<PostgresFacts>(
        `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
           current_setting('server_version_num')::int AS number, current_user::text AS user,
           (SELECT s.version FROM pg_stat_ssl s WHERE pid = pg_backend_pid()) AS tls,
           pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "readOnly",
           current_setting('fsync')::boolean AS fsync`,
      )
      await refusePooler(this.database, this.address)
      return server
    })
  }

  /** The rights that a process needs and this user does not have. */
  missingRights(): Promise<string[]> {
    return this.#withStartError(async () => {
      const { rows } = await this.database.ask<{ missing: string }>(MISSING_RIGHTS, [this.schema])
      return rows.map(({ missing }) => missing)
    })
  }

  /** The steps of the schema that were taken; undefined if it is empty or not there. */
  steps(): Promise<string[] | undefined> {
    return this.#withStartError(() => stepsTaken(this.database, this.address))
  }

  /** How long some round trips took, the shortest first. */
  roundTrips(count: number): Promise<number[]> {
    return this.#withStartError(async () => {
      const taken: number[] = []
      for (let nth = 0; nth < count; nth++) {
        const from = SYSTEM_CLOCKS.monotonic()
        await this.database.ask('SELECT 1')
        taken.push(SYSTEM_CLOCKS.monotonic() - from)
      }
      return taken.sort((a, b) => a - b)
    })
  }

  connections(): Promise<ConnectionFacts> {
    return this.#withStartError(() => this.#one<ConnectionFacts>(CONNECTIONS))
  }

  processes(): Promise<ServingProcess[]> {
    return this.#withStartError(() => readServing(this.database.ask))
  }

  close(): Promise<void> {
    return this.database.close()
  }

  async #one<Row>(text: string): Promise<Row> {
    const { rows } = await this.database.ask<Row>(text)
    const [row] = rows
    if (!row) throw new Error('the server returned no row')
    return row
  }

  async #withStartError<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      throw startErrorOf(cause, this.address)
    }
  }
}

/** The limits of the server, of the user and of the database; -1 is none. */
const CONNECTIONS = `
  SELECT least(
      current_setting('max_connections')::int
        - CASE WHEN r.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int END,
      nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1)) AS most,
    (SELECT sum(numbackends) FROM pg_stat_database)::int AS used
  FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`

const MISSING_RIGHTS = `
  SELECT 'CREATE ON DATABASE ' || current_database() AS missing
  WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)
    AND NOT has_database_privilege(current_database(), 'CREATE')
  UNION ALL
  SELECT kind || ' ON SCHEMA ' || nspname FROM pg_namespace, unnest('{USAGE,CREATE}'::text[]) kind
  WHERE nspname = $1 AND NOT has_schema_privilege(oid, kind)
  UNION ALL
  SELECT kind || ' ON TABLE ' || nspname || '.' || relname
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) kind
  WHERE nspname = $1 AND relkind IN ('r', 'p') AND NOT has_table_privilege(c.oid, kind)`
