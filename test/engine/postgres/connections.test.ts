import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseInspection } from '../../../src/engine/postgres/inspection.ts'
import { StartError } from '../../../src/engine/store/store-errors.ts'
import { CERTIFICATE, KEY } from '../../support/client/certificate.ts'
import { openStore } from '../../support/engine/database-stores.ts'
import { type Postgres, startPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

/** How a process reaches its database: TLS, passwords, and poolers in between. */

const why = whyNoPostgres()
if (why !== undefined) console.log(`skipped: connections to a database, because ${why}`)

/** Debian's folder of programs for the system is not in everybody's PATH. */
const POOLER = ['pgbouncer', '/usr/sbin/pgbouncer'].find(program => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})
if (POOLER === undefined)
  console.log('skipped: poolers in front of a database, because there is no pgbouncer')

/** The version of TLS, or why there is no connection. */
async function reached(url: string): Promise<string> {
  let inspection: DatabaseInspection | undefined
  try {
    inspection = DatabaseInspection.of(url)
    return (await inspection.server()).tls ?? 'without TLS'
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause
    expect(cause.message).not.toContain('\n')
    return `${cause.exitCode}: ${cause.message}`
  } finally {
    await inspection?.close()
  }
}

const changed = (url: string, change: (url: URL) => void): string => {
  const other = new URL(url)
  change(other)
  return other.href
}

/** A socket's file may be there before anybody listens. */
const isListening = (path: string) =>
  new Promise<boolean>(resolve => {
    const socket = connect(path, () => resolve(true)).on('error', () => resolve(false))
    socket.once('close', () => socket.destroy()).once('connect', () => socket.end())
  })

describe.skipIf(why !== undefined)('a connection to a database', () => {
  let postgres: Postgres
  let url: string
  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.newDatabase()
    return () => postgres.end()
  })

  async function folder(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), 'paysim-connect-'))
    onTestFinished(() => rm(made, { recursive: true, force: true }))
    return made
  }

  test('is encrypted and verified as sslmode and sslrootcert say', async () => {
    expect(await reached(url)).toBe('without TLS')
    expect(await reached(`${url}?sslmode=require`)).toMatch(/^7: .*does not support SSL/)
    const owner = statSync(join(postgres.directory, 'data'))
    for (const [name, text] of Object.entries({ 'server.crt': CERTIFICATE, 'server.key': KEY })) {
      const path = join(postgres.directory, 'data', name)
      writeFileSync(path, text, { mode: 0o600 })
      chownSync(path, owner.uid, owner.gid)
    }
    await postgres.query('postgres', 'ALTER SYSTEM SET ssl = on')
    await postgres.restart('fast')
    const root = join(await folder(), 'root.crt')
    writeFileSync(root, CERTIFICATE)
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      expect([mode, await reached(`${url}?sslmode=${mode}&sslrootcert=${root}`)]).toEqual([
        mode,
        expect.stringMatching(/^TLSv1\./),
      ])
    expect(await reached(`${url}?sslmode=require`)).toMatch(/^TLSv1\./)
    expect(await reached(`${url}?sslmode=disable`)).toBe('without TLS')
    // Nobody vouches for this certificate.
    expect(await reached(`${url}?sslmode=verify-full`)).toMatch(/^7: cannot use .*self-signed certificate/)
    expect(await reached(`${url}?sslmode=verify-full&sslrootcert=${root}.missing`)).toMatch(
      /^2: the address of the database cannot be used: .*ENOENT/,
    )
    const store = await openStore(`${url}?sslmode=verify-full&sslrootcert=${root}`)
    expect(store.url).not.toContain(postgres.password)
    const [encrypted] = (
      await postgres.query(
        new URL(url).pathname.slice(1),
        `SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'paysim'`,
      )
    ).split('\n')
    expect(encrypted).toBe('t')
  })

  test('gets its password from PGPASSWORD, or from the file that PGPASSFILE names', async () => {
    const bare = changed(url, other => (other.password = ''))
    vi.stubEnv('PGPASSFILE', join(await folder(), 'none'))
    vi.stubEnv('PGPASSWORD', undefined)
    expect(await reached(bare)).toMatch(/^7: .* asks for a password; give the password in PGPASSWORD/)
    vi.stubEnv('PGPASSWORD', postgres.password)
    expect(await reached(bare)).not.toMatch(/^\d/)
    vi.stubEnv('PGPASSWORD', 'mistaken')
    const wrong = await reached(bare)
    expect(wrong).toMatch(/^7: .* refuses the user/)
    expect(wrong).not.toContain('mistaken')
    vi.stubEnv('PGPASSWORD', undefined)
    const file = join(await folder(), 'passfile')
    const lines = (...all: string[]) =>
      writeFileSync(file, `# host:port:database:user:password\n${all.join('\n')}\n`)
    const line = `127.0.0.1:${postgres.port}:*:paysim:${postgres.password}`
    lines('', 'elsewhere:*:*:*:other', line, '*:*:*:*:later')
    chmodSync(file, 0o600)
    vi.stubEnv('PGPASSFILE', file)
    expect(await reached(bare)).not.toMatch(/^\d/)
    chmodSync(file, 0o644)
    expect(await reached(bare)).toBe(
      `2: other users can read the password file ${file}; run chmod 600 '${file}'`,
    )
    chmodSync(file, 0o600)
    lines('*:*:*:somebody:else')
    expect(await reached(bare)).toMatch(/ asks for a password/)
    await postgres.query('postgres', `CREATE ROLE "a:b" LOGIN PASSWORD 'c:\\d'`)
    lines('*:*:*:a\\:b:c\\:\\\\d')
    expect(await reached(changed(bare, other => (other.username = 'a%3Ab')))).not.toMatch(/^\d/)
  })

  test.skipIf(POOLER === undefined).each([
    ['transaction', '', /^2: .* refuses a session setting: .*options.*use PostgreSQL directly$/],
    ['session', '', /^2: .* refuses a session setting: .*options.*use PostgreSQL directly$/],
    ['transaction', 'options', /^2: .* is a pooler that shares sessions.*use PostgreSQL directly$/],
    ['session', 'options', /^2: .* does not accept session settings.*use PostgreSQL directly$/],
  ])(
    'through pgbouncer with %s sessions that ignores %j is refused in one line',
    async (mode, ignored, line) => {
      const through = await startPooler(mode, ignored)
      expect(await reached(through)).toMatch(line)
      await expect(openStore(through)).rejects.toThrow(StartError)
      // Nothing was made in a schema that the pooler chose.
      expect(
        await postgres.query(
          new URL(url).pathname.slice(1),
          `SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'`,
        ),
      ).toBe('0')
    },
  )

  /** The address of the same database through a pooler. */
  async function startPooler(mode: string, ignored: string): Promise<string> {
    const place = await folder()
    const owner = statSync(join(postgres.directory, 'data'))
    const file = join(place, 'pgbouncer.ini')
    const { hostname, port: behind, password, pathname } = new URL(url)
    writeFileSync(
      file,
      `[databases]
${pathname.slice(1)} = host=${hostname} port=${behind} user=paysim password=${password}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${place}
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits${ignored === '' ? '' : `,${ignored}`}
`,
    )
    chownSync(place, owner.uid, owner.gid)
    chownSync(file, owner.uid, owner.gid)
    const pooler = spawn(POOLER ?? '', [file], { stdio: 'ignore', uid: owner.uid, gid: owner.gid })
    const ended = once(pooler, 'exit')
    onTestFinished(async () => {
      pooler.kill('SIGKILL')
      await ended
    })
    await expect.poll(() => isListening(join(place, '.s.PGSQL.6432'))).toBe(true)
    return `postgres://paysim@localhost:6432${pathname}?host=${place}`
  }
})
