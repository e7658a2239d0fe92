import pg from 'pg'
import { StartError } from '../start-error.ts'
import { StoreError, UnavailableError } from '../unavailable.ts'
import type { Database } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'

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
export const saying = <T>(work: Promise<T>): Promise<T> =>
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
