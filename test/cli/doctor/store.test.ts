import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepSecret, openWorkplace, type Workplace } from '../../support/cli/workplace.ts'
import { workerPostgres } from '../../support/postgres/postgres.ts'
import { whyNoPostgres } from '../../support/postgres/programs.ts'

/** `paysim doctor` for the store: what `serve` needs of it, and what to do if that is not there. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`paysim doctor is not tested with PostgreSQL here: ${reason}`)

let place: Workplace & { close: () => Promise<void> }
beforeAll(async () => {
  place = await openWorkplace()
})
afterAll(() => place.close())

interface Check {
  check: string
  verdict: string
  message: string
  advice: string | null
}

/** The exit code, and the checks of the store by their names. */
async function diagnose(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await place.paysim(['doctor', '-o', 'json', ...args], { env })
  expect(stderr).toBe('')
  const { checks, exit_code } = JSON.parse(stdout) as { checks: Check[]; exit_code: number }
  expect(exit_code).toBe(code)
  const all = new Map(checks.map(({ check, verdict, message }) => [check, `${verdict}: ${message}`]))
  const advice = checks.filter(({ verdict }) => verdict === 'fault').map(({ advice }) => advice)
  return { code, all, names: [...all.keys()], last: [...all.values()].at(-1), advice }
}

const diagnoseStore = (store: string) => diagnose(['--store', store])

test('doctor checks that the directory of a file store can be written', async () => {
  await mkdir(place.path('here'))
  const { code, all } = await diagnoseStore('file:here')
  expect([code, [...all.keys()]]).toEqual([0, ['node', 'store']])
  expect(all.get('store')).toBe(`ok: ${place.path('here')}, from --store`)
  expect((await diagnoseStore('file:here/none/yet')).last).toMatch(/^ok: .*yet, which is made at the start/)
  await place.write('file', '')
  const below = await diagnoseStore('file:file/data')
  expect(below).toMatchObject({ code: 2, last: expect.stringMatching(/^fault: .*cannot be written/) })
  expect((await diagnoseStore('memory:')).last).toMatch(/^ok: memory/)
  expect(await diagnoseStore('redis://me:hidden@host')).toMatchObject({
    code: 2,
    last: expect.stringMatching(/^fault: .*redis:, but a store is/),
  })
})

test('a database that does not answer has no further checks', async () => {
  const { code, names, last, advice } = await diagnoseStore('postgres://me:hidden@127.0.0.1:1/shop')
  expect([code, names]).toEqual([7, ['node', 'store', 'store.server']])
  expect(last).toMatch(/^fault: cannot use postgres:\/\/127\.0\.0\.1:1\/shop: .*ECONNREFUSED/)
  expect(advice).toEqual(['fix this, and run `paysim doctor` again'])
  const odd = await diagnoseStore('postgres://me:hidden@127.0.0.1:1/shop?sslmod=require')
  expect(odd).toMatchObject({ code: 2, last: expect.stringContaining('sslmod, but only these are known') })
})

test('doctor refuses to check a store and an API in one call', async () => {
  const { code, stderr } = await place.paysim([
    'doctor',
    '--store',
    'memory:',
    '--base-url',
    'http://127.0.0.1:1',
  ])
  expect(code).toBe(2)
  expect(stderr).toContain('--base-url')
})

describe.skipIf(reason !== undefined)('a database', () => {
  async function database() {
    const postgres = await workerPostgres()
    keepSecret(postgres.password)
    const url = await postgres.newDatabase()
    const name = new URL(url).pathname.slice(1)
    const sql = (text: string) => postgres.query(name, text)
    /** The address for somebody else. */
    const as = (user: string, password: string) => {
      const other = new URL(url)
      other.username = user
      other.password = password
      return other.href
    }
    return { url, name, sql, as }
  }

  /** Makes the tables, as a first start does. */
  async function filled() {
    const made = await database()
    const { code, stderr } = await place.paysim(['store', 'copy', `file:${await files()}`, made.url])
    expect(code, stderr).toBe(0)
    return made
  }

  let directory: Promise<string> | undefined
  const files = () => {
    directory ??= (async () => {
      const server = place.start(['serve', '--port', '0', '--data', 'files', '--json'])
      await server.says(/"listen"/)
      server.interrupt()
      await server.ended
      return place.path('files')
    })()
    return directory
  }

  test('passes before the first start, and no check changes it', async () => {
    const { url, sql } = await database()
    const { code, all, names } = await diagnoseStore(url)
    expect(names).toEqual([
      'node',
      'store',
      'store.server',
      'store.rights',
      'store.schema',
      'store.latency',
      'store.pool',
    ])
    expect(all.get('store')).toMatch(
      /^ok: postgres:\/\/127\.0\.0\.1:\d+\/test_\d+, schema paysim, from --store$/,
    )
    // PostgreSQL of the tests has fsync off, because they are many.
    expect(all.get('store.server')).toMatch(
      /^warning: PostgreSQL \d+\.\d+, as paysim, without TLS: .* fsync off/,
    )
    expect(all.get('store.schema')).toMatch(/^ok: paysim is empty/)
    expect(all.get('store.latency')).toMatch(
      /^\w+: a round trip takes [\d.]+ ms .* of 20, [\d.]+ ms at most$/,
    )
    expect(all.get('store.pool')).toMatch(
      /^ok: \d+ of 200 connections are in use, and a process takes up to 12/,
    )
    expect(code).toBe(0)
    expect(await sql(`SELECT count(*) FROM pg_namespace WHERE nspname = 'paysim'`)).toBe('0')
  })

  test('is found by PAYSIM_STORE too, and reported in aligned lines', async () => {
    const { url } = await filled()
    const { all } = await diagnose([], { PAYSIM_STORE: url })
    expect(all.get('store')).toMatch(/from PAYSIM_STORE$/)
    expect(all.get('store.schema')).toMatch(/^ok: paysim has the tables of this version \(0\d+-/)
    expect(all.get('store.processes')).toBe('ok: none serves it now')
    expect(all.has('target')).toBe(true)
    const { stdout } = await place.paysim(['doctor', '--store', url])
    expect(stdout).toMatch(/^✓ store {12}postgres:/m)
    expect(stdout).toMatch(/^✓ store\.rights {5}may read and write/m)
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d warnings?\.$/)
  })

  test('is reported with the process that serves it', async () => {
    const apart = await openWorkplace({ apart: true })
    const { url } = await database()
    const server = apart.start(['serve', '--port', '0', '--store', url, '--json'])
    try {
      const [, listen, node] = /"listen":"([^"]+)".*"node":"([^"]+)"/.exec(await server.says(/"node"/)) ?? []
      // On a busy machine, a lease may run out for a moment.
      await expect
        .poll(async () => (await diagnoseStore(url)).all.get('store.processes'))
        .toBe(`ok: ${node} at ${listen}`)
    } finally {
      server.interrupt()
      await server.ended
      await apart.close()
    }
  })

  test('with a wrong password, or that does not exist, is reported with advice', async () => {
    const { url, as } = await database()
    const wrong = await diagnoseStore(as('paysim', 'mistaken'))
    expect(wrong.code).toBe(7)
    expect(wrong.last).toMatch(/^fault: .* refuses the user: /)
    expect(wrong.advice).toEqual([expect.stringMatching(/^give the password in PGPASSWORD/)])
    expect(JSON.stringify([...wrong.all])).not.toContain('mistaken')
    const nothing = await diagnoseStore(url.replace(/test_\d+$/, 'nothing'))
    expect(nothing).toMatchObject({
      code: 7,
      last: expect.stringContaining('"nothing" does not exist'),
      advice: ['create it, or name another one'],
    })
  })

  test('with too few rights is reported with the missing ones and how to grant them', async () => {
    const { name, sql, as } = await filled()
    await sql(`CREATE ROLE guest_${name} LOGIN PASSWORD 'guest'`)
    const guest = as(`guest_${name}`, 'guest')
    const outside = await diagnoseStore(guest)
    expect(outside).toMatchObject({ code: 2, names: expect.not.arrayContaining(['store.schema']) })
    expect(outside.last).toMatch(/^fault: the user may not USAGE ON SCHEMA paysim, and \d+ more$/)
    await sql(`GRANT USAGE, CREATE ON SCHEMA paysim TO guest_${name};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA paysim TO guest_${name};
      REVOKE DELETE ON paysim.entries FROM guest_${name}`)
    const within = await diagnoseStore(guest)
    expect(within.last).toBe('fault: the user may not DELETE ON TABLE paysim.entries')
    expect(within.advice).toEqual(['ask the owner to run: GRANT DELETE ON TABLE paysim.entries TO this user'])
    await sql(`GRANT DELETE ON paysim.entries TO guest_${name}`)
    expect((await diagnoseStore(guest)).code).toBe(0)
    const elsewhere = await diagnoseStore(`${guest}?schema=other`)
    expect(elsewhere.last).toMatch(/^fault: the user may not CREATE ON DATABASE test_\d+$/)
  })

  test('of a newer paysim, or of another program, is refused', async () => {
    const { url, sql } = await filled()
    await sql(`INSERT INTO paysim.migrations VALUES ('9999-later', now()::text);
      CREATE SCHEMA shop; CREATE TABLE shop.orders (id int)`)
    const newer = await diagnoseStore(url)
    expect([newer.code, newer.advice]).toEqual([2, ['use that version, or another schema']])
    expect(newer.last).toMatch(/^fault: .*newer paysim: it has the step 9999-later, and this one knows 0\d+-/)
    const foreign = await diagnoseStore(`${url}?schema=shop`)
    expect(foreign).toMatchObject({ code: 2, last: expect.stringContaining('such as orders') })
  })

  /** Starts it, and stops it when it is ready. */
  async function serveOnce(store: string): Promise<void> {
    const server = place.start(['serve', '--port', '0', '--store', store, '--json'])
    await server.says(/"listen"/)
    server.interrupt()
    await server.ended
  }

  test.each([
    ['serve', serveOnce],
    [
      'store check',
      async (url: string) => expect(await place.paysim(['store', 'check', url])).toMatchObject({ code: 0 }),
    ],
  ])('of an older paysim brings a warning until `%s` upgrades it', async (_, use) => {
    const { url, sql } = await filled()
    await sql(`DELETE FROM paysim.migrations WHERE name > '0001-first';
      ALTER TABLE paysim.entries DROP epoch;
      DROP INDEX paysim.accounts_by_wake;
      ALTER TABLE paysim.processes DROP lag_ms, DROP takeovers, DROP forwarded, DROP moves, DROP leaving,
        DROP answered_all;
      ALTER TABLE paysim.holdings DROP wall_ms, DROP taken_at`)
    const { code, all } = await diagnoseStore(url)
    expect([code, all.get('store.schema')]).toEqual([
      0,
      expect.stringMatching(/^warning: paysim was written by an older paysim: it ends with 0001-first/),
    ])
    await use(url)
    expect((await diagnoseStore(url)).all.get('store.schema')).toMatch(/^ok: /)
  })

  test('that is read-only, or has too few connections left, is reported', async () => {
    const { url, name, sql, as } = await database()
    await sql(`CREATE ROLE few_${name} LOGIN SUPERUSER PASSWORD 'few' CONNECTION LIMIT 5`)
    const few = await diagnoseStore(as(`few_${name}`, 'few'))
    expect(few.all.get('store.pool')).toMatch(/^warning: \d+ of 5 connections are in use.*no room/)
    await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const read = await diagnoseStore(url)
    expect(read).toMatchObject({ code: 7, last: expect.stringContaining('is read-only') })
  })
})
