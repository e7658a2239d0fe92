import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../support/gateway/server.ts'
import { imageFile, multipart } from '../support/http/multipart.ts'
import { png } from '../support/payments/receipt-images.ts'
import { paying } from '../support/payments/requests.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** What callers, the log and a balancer are told while the database cannot be used. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`Outages of PostgreSQL are not tested here: ${reason}`)

const PAYMENT = paying('th_bank_transfer')

async function served() {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.end())
  const store = await postgres.newDatabase()
  const server = await startServer({ store })
  onTestFinished(() => server.kill())
  const { password, username, host, pathname } = new URL(store)
  const shown = `postgres://${host}${pathname}`
  const create = () => server.call('POST', '/payment_intents', { body: PAYMENT })
  expect((await create()).status).toBe(201)
  const expectNoSecret = (text: string) => {
    expect(text).not.toContain(password)
    expect(text).not.toContain(`//${username}`)
  }
  return { postgres, server, create, shown, expectNoSecret, name: pathname.slice(1) }
}

describe.skipIf(reason !== undefined)('while the database cannot be used', () => {
  test('callers are told that it does not answer, and the log once where it is, until it works again', async () => {
    const { postgres, server, create, shown, expectNoSecret } = await served()
    await postgres.stop('fast')
    const refused = await create()
    expect(refused.status).toBe(503)
    expect(refused.body.error.message).toMatch(
      /^The journal cannot be written now \(the database does not answer; the log of paysim says more\)/,
    )
    expect((await create()).status).toBe(503)
    await expect.poll(() => server.stderr()).toContain(`cannot use ${shown}: `)
    await postgres.start()
    await expect.poll(async () => (await create()).status).toBe(201)
    await expect.poll(() => server.stderr()).toContain(`${shown} works again`)
    expect(server.stderr().match(/get 503/g)).toHaveLength(1)
    expectNoSecret(server.stderr() + refused.text)
  })

  test('neither an image nor a link of the dashboard is an internal error', async () => {
    const { postgres, server } = await served()
    const stored = await server.control(
      'POST',
      '/accounts/default.test/assets',
      multipart([imageFile(png())]),
    )
    const image = () => server.control('GET', `/accounts/default.test/images/${stored.body.digest}`)
    expect((await image()).status).toBe(200)
    const { search } = new URL((await server.control('POST', '/dashboard/links')).body.url)
    await postgres.stop('fast')
    // Its lease still holds.
    for (const { status, text } of [
      await image(),
      await server.control('GET', `/dashboard/sign-in${search}`, { anonymous: true }),
    ])
      expect([status, text]).toEqual([
        503,
        expect.stringContaining('"The store cannot be used now (the database does not answer;'),
      ])
  })

  test('a balancer keeps the process, which explains each refusal, also of a read after its lease', async () => {
    const { postgres, server, create } = await served()
    await postgres.stop('fast')
    const lists = () => server.call('GET', '/payout_intents')
    await expect.poll(async () => (await lists()).status).toBe(503)
    for (const call of [await lists(), await create()])
      expect([call.status, call.body.error.code]).toEqual([503, 'service_unavailable'])
    for (const path of ['/health', '/ready'])
      expect((await server.control('GET', path, { anonymous: true })).status).toBe(200)
    await postgres.start()
    await expect.poll(async () => (await lists()).status).toBe(200)
  })

  test('callers and the log are told that it is read-only', async () => {
    const { postgres, server, create, shown, expectNoSecret, name } = await served()
    await postgres.query(
      'postgres',
      `ALTER DATABASE ${name} SET default_transaction_read_only = on;
       SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
    await expect.poll(async () => (await create()).text).toContain('the database is read-only')
    // The account has no holder any more, and nobody can take it.
    await expect
      .poll(async () => (await server.call('GET', '/payout_intents')).text)
      .toContain(
        '"The store cannot be used now (the database is read-only; the log of paysim says more); try again"',
      )
    const known = await server.control('POST', '/merchants', { body: {} })
    expect([known.status, known.text]).toEqual([503, expect.stringContaining('the database is read-only')])
    await expect.poll(() => server.stderr()).toContain(`${shown} is read-only, like a standby server`)
    await postgres.query(
      'postgres',
      `ALTER DATABASE ${name} RESET default_transaction_read_only;
       SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
    await expect.poll(async () => (await create()).status).toBe(201)
    expectNoSecret(server.stderr())
  })
})
