import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Database } from '../../../src/engine/postgres/database.ts'
import { readDatabaseAddress } from '../../../src/engine/postgres/database-address.ts'
import { DatabaseStore } from '../../../src/engine/postgres/database-store.ts'
import type { SharedSetting } from '../../../src/engine/store/store.ts'
import { StartError } from '../../../src/engine/store/store-errors.ts'
import { openStore } from '../../support/engine/database-stores.ts'
import { workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

const why = whyNoPostgres()
if (why !== undefined) console.log(`skipped: starts on a database, because ${why}`)

const time = { wall: Date.now, monotonic: () => performance.now() }

/** The exit code and the line of a start that fails. */
async function failureOf(url: string): Promise<string> {
  try {
    await (await DatabaseStore.claim(url, { sync: true, time, warn: () => {} })).release()
    return 'started'
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause
    expect(cause.message).not.toContain('\n')
    return `${cause.exitCode}: ${cause.message}`
  }
}

async function aDatabase() {
  const postgres = await workerPostgres()
  const url = await postgres.newDatabase()
  const name = new URL(url).pathname.slice(1)
  return { url, name, password: postgres.password, sql: (text: string) => postgres.query(name, text) }
}

function changed(url: string, change: (url: URL) => void): string {
  const other = new URL(url)
  change(other)
  return other.href
}

test('an invalid address is refused, without showing its password', async () => {
  expect(await failureOf('postgres://u:secret@h/d?schema=Robert";--')).toMatch(
    /^2: the schema .* may contain only lower-case letters, digits and _/,
  )
  expect(await failureOf('postgres://u:secret@h/d?sslmod=require')).toMatch(
    /^2: .* parameter sslmod, but only/,
  )
  expect(await failureOf('postgres://u:secret@h/d?sslmode=verify-ca')).toMatch(/^2: .*sslrootcert/)
  expect(await failureOf('postgres://u:secret@h/d?connect_timeout=soon')).toMatch(/^2: connect_timeout/)
  expect(await failureOf('postgres://u:secret@127.0.0.1:1/d')).toMatch(
    /^7: .*127\.0\.0\.1:1\/d: .*ECONNREFUSED/,
  )
  expect(await failureOf('postgres://u:secret@127.0.0.1:1/d')).not.toContain('secret')
  // Without the slashes, all of it is a path; with these characters, a part of the password is.
  for (const address of ['postgres:u:secret@h/d', 'postgres:/u:secret@h/d', 'postgres://u:a#secret@h/d']) {
    const failure = await failureOf(address)
    expect(failure).toMatch(
      /^2: the address of a database is postgres:\/\/USER@.* write a character such as #/,
    )
    expect(failure).not.toContain('secret')
  }
})

test('a server that accepts a connection and says nothing causes a timeout', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  expect(await failureOf(`postgres://u@127.0.0.1:${port}/d?connect_timeout=0.2`)).toMatch(/^7: cannot use/)
})

describe.skipIf(why !== undefined)('a start on a database', () => {
  test('reports a problem in one line', async () => {
    const { url, name, password, sql } = await aDatabase()
    expect(await failureOf(changed(url, other => (other.pathname = '/nothing')))).toMatch(
      /^7: .*"nothing" does not/,
    )
    const wrong = await failureOf(changed(url, other => (other.password = 'wrong')))
    expect(wrong).toMatch(/^7: .* refuses the user: .*PGPASSWORD/)
    expect(wrong).not.toContain(password)
    vi.stubEnv('PGPASSWORD', undefined)
    expect(await failureOf(changed(url, other => (other.password = '')))).toContain(
      'asks for a password; give',
    )
    await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    expect(await failureOf(url)).toMatch(/^7: .* is read-only/)
    await (await workerPostgres()).query(
      'postgres',
      `ALTER DATABASE ${name} RESET default_transaction_read_only`,
    )
    await sql(`CREATE ROLE guest_${name} LOGIN PASSWORD 'guest'`)
    const guest = changed(url, other => {
      other.username = `guest_${name}`
      other.password = 'guest'
    })
    expect(await failureOf(guest)).toMatch(/^2: .*permission denied.*GRANT CREATE ON DATABASE/)
  })

  test.each([1, 2])('for a user who may have only %i connections fails instead of waiting', async limit => {
    const { url, name, sql } = await aDatabase()
    const user = `few_${limit}_${name}`
    await sql(`CREATE ROLE ${user} LOGIN PASSWORD 'few' CONNECTION LIMIT ${limit};
      GRANT CREATE ON DATABASE ${name} TO ${user}`)
    const few = changed(url, other => {
      other.username = user
      other.password = 'few'
    })
    expect(await failureOf(few)).toMatch(/^7: .* has no connection left: too many connections for role/)
  })

  test('waits for each commit, whatever the defaults of the user, database or server', async () => {
    const { url, name, sql } = await aDatabase()
    await sql(`CREATE ROLE hasty_${name} LOGIN PASSWORD 'hasty'`)
    await sql(`ALTER ROLE hasty_${name} SET synchronous_commit = off`)
    const address = readDatabaseAddress(
      changed(url, other => {
        other.username = `hasty_${name}`
        other.password = 'hasty'
      }),
    )
    for (const sync of [true, false]) {
      const database = new Database(address, { connections: 1, sync })
      const { rows } = await database.ask('SHOW synchronous_commit')
      expect(rows).toEqual([{ synchronous_commit: sync ? 'on' : 'off' }])
      await database.close()
    }
  })

  test('never touches the tables of another program', async () => {
    const { url, sql } = await aDatabase()
    await sql('CREATE SCHEMA shop; CREATE TABLE shop.orders (id int)')
    expect(await failureOf(`${url}?schema=shop`)).toMatch(/^2: .*another program's tables, such as orders/)
    expect(await failureOf(url)).toBe('started')
    expect(
      await sql(`SELECT DISTINCT table_schema FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`),
    ).toBe('paysim\nshop')
    expect(await sql(`SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'`)).toBe(
      'orders',
    )
  })

  test.each([
    ['migrations', 'CREATE TABLE shop.migrations (id int, batch int)'],
    [
      'users',
      `CREATE TABLE shop.migrations (name text, "timestamp" text);
       INSERT INTO shop.migrations VALUES ('1-users', 'now'); CREATE TABLE shop.users (id int)`,
    ],
    ['list', 'CREATE TABLE shop.migrations (name text, "timestamp" text); CREATE TABLE shop.list (id int)'],
    ['migrations', 'CREATE TABLE shop.migrations (name text, "timestamp" text)'],
    ['numbers', 'CREATE SEQUENCE shop.numbers'],
    ['a_view', 'CREATE VIEW shop.a_view AS SELECT 1'],
  ])('never touches a schema with %s that another program made: %s', async (name, tables) => {
    const { url, sql } = await aDatabase()
    const relations = () =>
      sql(`SELECT relname, relkind FROM pg_class WHERE relnamespace = 'shop'::regnamespace ORDER BY 1`)
    await sql(`CREATE SCHEMA shop; ${tables}`)
    const before = await relations()
    expect(await failureOf(`${url}?schema=shop`)).toMatch(
      new RegExp(`^2: .* has another program's tables, such as ${name}; nothing was changed`),
    )
    expect(await relations()).toBe(before)
  })

  test('refuses the tables of a newer paysim, and names the step', async () => {
    const { url, sql } = await aDatabase()
    expect(await failureOf(url)).toBe('started')
    await sql(`INSERT INTO paysim.migrations VALUES ('9999-later', now()::text)`)
    expect(await failureOf(url)).toMatch(/^2: .*newer paysim: it has the step 9999-later/)
  })

  test('creates the tables once when many start at once', async () => {
    const { url } = await aDatabase()
    expect(await Promise.all(Array.from({ length: 5 }, () => failureOf(url)))).toEqual(
      Array(5).fill('started'),
    )
  })

  test('requires the settings of the processes that already serve it, by name', async () => {
    const { url } = await aDatabase()
    const setting = (name: string, given: string | undefined): SharedSetting => ({
      name,
      given,
      otherwise: () => `drawn by ${given}`,
    })
    const [one, other] = [await openStore(url), await openStore(url)]
    const agreed = await one.agree([setting('contract', 'c1'), setting('control token', undefined)])
    expect(await other.agree([setting('contract', 'c1'), setting('control token', undefined)])).toEqual(
      agreed,
    )
    await expect(other.agree([setting('control token', 'mine')])).rejects.toThrow(
      'the control token of this process differs from that of the processes',
    )
    await one.release()
    const alone = await other.agree([setting('control token', 'mine'), setting('contract', 'c2')])
    expect([alone.get('control token'), alone.get('contract')]).toEqual(['mine', 'c2'])
  })

  test('is asked for the settings of the others again when its lease had expired', async () => {
    const { url, sql } = await aDatabase()
    const token = (given: string): SharedSetting[] => [
      { name: 'control token', given, otherwise: () => given },
    ]
    const one = await openStore(url)
    const refused: string[] = []
    await one.agree(token('mine'), ({ exitCode, message }) => refused.push(`${exitCode}: ${message}`))
    // Nobody else began to serve.
    await sql('UPDATE paysim.processes SET ended = true')
    await expect.poll(() => sql('SELECT count(*) FROM paysim.processes WHERE NOT ended')).toBe('1')
    await expect.poll(() => one.holders.hold('acme', AbortSignal.timeout(30_000))).toBeUndefined()
    expect(refused).toEqual([])

    const other = await openStore(url)
    // As if the other one had begun while this one was paused.
    await sql(`UPDATE paysim.processes SET ended = true WHERE id < (SELECT max(id) FROM paysim.processes);
      UPDATE paysim.cluster SET value = 'theirs' WHERE name = 'control token'`)
    await expect
      .poll(() => refused[0])
      .toMatch(/^2: the control token of this process differs from that of the processes that already serve/)
    expect(one.holders.mayAnswer('acme')).toBe(false)
    await expect(one.holders.hold('shop', AbortSignal.timeout(5000))).rejects.toThrow('control token')
    expect((await other.agree(token('theirs'))).get('control token')).toBe('theirs')
  })
})
