import pg from 'pg'
import { StartError } from '../start-error.ts'
import type { DatabaseAddress } from './database-address.ts'

/** The code of PostgreSQL for what it refused. */
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

const PASSWORD = 'Give the password in PGPASSWORD, or in a file that PGPASSFILE names'

/** Why the store cannot be opened, in one line. */
export function startErrorOf(cause: unknown, { url, schema, config }: DatabaseAddress): StartError {
  if (cause instanceof StartError) return cause
  const why =
    cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : String(cause)
  const user = config.user ?? process.env.PGUSER ?? 'this user'
  // What the driver says if the server asks for a password and there is none.
  if (/password must be a (non-empty )?string/.test(why))
    return new StartError(`${url} asks for a password. ${PASSWORD}`, 7)
  switch (codeOf(cause)) {
    case '28P01':
    case '28000':
      return new StartError(`${url} refuses the user: ${why}. ${PASSWORD}`, 7)
    case '3D000':
      return new StartError(`${url}: ${why}. Create it, or name another one`, 7)
    case '25006':
      return new StartError(`${url} is read-only, such as a standby server; use the primary one`, 7)
    case '53100':
      return new StartError(`${url} has no room left on its disk: ${why}`, 7)
    case '53300':
      return new StartError(`${url} has no connection left: ${why}`, 7)
    case '42501':
      return new StartError(
        `${url}: ${why}. Allow it: GRANT CREATE ON DATABASE … TO ${user}, or create the schema ${schema} for this user`,
        2,
      )
    case '08P01':
      return new StartError(
        `${url} refuses what a session needs: ${why}. If a pooler is in front of PostgreSQL, use PostgreSQL directly`,
        2,
      )
    default:
      return new StartError(`cannot use ${url}: ${why}`, 7)
  }
}
