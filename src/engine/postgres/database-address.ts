import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { parse, toClientConfig } from 'pg-connection-string'
import { StartError } from '../store/store-errors.ts'

/** Which database, and which schema in it. */
export interface DatabaseAddress {
  /** Without credentials. */
  readonly url: string
  readonly schema: string
  readonly config: ClientConfig
}

/** The parameters of an address that have a meaning here: those of TLS, as libpq names them, and three others. */
const PARAMETERS = [
  'schema',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'host',
  'application_name',
  'connect_timeout',
]

/** Without the slashes, a user and a password would be part of the path, and appear in messages. */
const ADDRESS = /^postgres(ql)?:\/\//i

/** The name of a schema, which must need no quotes because statements contain it without them. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

const CONNECT_TIMEOUT_S = 5

/** Reads `postgres://user@host:port/database?schema=paysim`. No message has the password. */
export function readDatabaseAddress(text: string): DatabaseAddress {
  const url = ADDRESS.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url)
    throw new StartError(
      'the address of a database is postgres://USER@HOST:PORT/DATABASE',
      2,
      'write a character such as #, / or ? in a user name or password as %23, %2F or %3F',
    )
  const unknown = [...url.searchParams.keys()].find(name => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    throw new StartError(
      `the address of the database has the parameter ${unknown}, but only these are known: ${PARAMETERS.join(', ')}`,
      2,
    )
  const schema = url.searchParams.get('schema') ?? 'paysim'
  if (!SCHEMA.test(schema))
    throw new StartError(
      `the schema ${JSON.stringify(schema)} may contain only lower-case letters, digits and _, and must not begin with a digit`,
      2,
    )
  return { url: withoutCredentials(url), schema, config: configOf(url) }
}

function withoutCredentials(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  return shown.href
}

function configOf(url: URL): ClientConfig {
  const plain = new URL(url)
  for (const name of ['schema', 'connect_timeout']) plain.searchParams.delete(name)
  const seconds = Number(url.searchParams.get('connect_timeout') ?? CONNECT_TIMEOUT_S)
  if (!(seconds > 0)) throw new StartError('connect_timeout must be a number of seconds', 2)
  let config: ClientConfig
  try {
    // As libpq reads them: `require` asks for TLS, `verify-full` also for a certificate of that host.
    config = toClientConfig(parse(plain.href, { useLibpqCompat: true }))
  } catch (cause) {
    throw new StartError(
      `the address of the database cannot be used: ${cause instanceof Error ? cause.message : cause}`,
      2,
    )
  }
  const isGiven = Boolean(config.password || process.env.PGPASSWORD)
  return {
    ...config,
    // The driver calls it with the host that it connects to; undefined means no password.
    ...(isGiven ? {} : { password: passwordFromFile as () => Promise<string> }),
    connectionTimeoutMillis: seconds * 1000,
  }
}

/** What a line of the file is for. */
interface Connection {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** The password for a connection in the user's password file, which is read as libpq does; undefined if it has none. */
async function passwordFromFile({ host, port, database, user }: Connection): Promise<string | undefined> {
  const path = process.env.PGPASSFILE || USUAL_PATH
  const file = await stat(path).catch(() => undefined)
  if (!file?.isFile()) return undefined
  if (process.platform !== 'win32' && (file.mode & 0o077) !== 0)
    throw new StartError(`other users can read the password file ${path}`, 2, `run chmod 600 '${path}'`)
  // A socket is named by its folder.
  const sought = [host.startsWith('/') ? 'localhost' : host, String(port), database, user]
  for (const line of (await readFile(path, 'utf8')).split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = [...line.matchAll(FIELD)].map(([, field = '']) => field.replace(/\\(.)/g, '$1'))
    const [password, isWhole] = [fields[sought.length], fields.length > sought.length]
    if (isWhole && sought.every((text, at) => fields[at] === '*' || fields[at] === text)) return password
  }
  return undefined
}

const USUAL_PATH =
  process.platform === 'win32'
    ? join(process.env.APPDATA ?? homedir(), 'postgresql', 'pgpass.conf')
    : join(homedir(), '.pgpass')

/** A field ends at a colon; a backslash escapes a colon or another backslash. */
const FIELD = /(?:^|:)((?:\\.|[^:\\])*)/g
