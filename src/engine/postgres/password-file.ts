import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'

/** What a line of the file is for. */
interface Connection {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** The password for a connection in the user's password file, which is read as libpq does; undefined if it has none. */
export async function passwordFromFile({
  host,
  port,
  database,
  user,
}: Connection): Promise<string | undefined> {
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
