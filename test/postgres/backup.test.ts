import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkplace } from '../support/cli/workplace.ts'
import { startCluster } from '../support/cluster/cluster.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { postgresPrograms, whyNoPostgres } from '../support/postgres/programs.ts'

/** A backup as the documentation describes it: made while a process serves, and restored into another database. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`A backup of a database is not tested here: ${reason}`)

test.skipIf(reason !== undefined)('a dump made while a process serves is complete', async () => {
  const postgres = await workerPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'paysim-backup-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const place = await openWorkplace()
  onTestFinished(place.close)
  const [store, other] = [await postgres.newDatabase(), await postgres.newDatabase()]
  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(join(postgresPrograms() ?? '', program), args)
  const dump = join(folder, 'paysim.dump')

  const { server } = await startCluster({ store, nodes: 1 })
  const merchant = await server.merchant({ clock: { mode: 'virtual' } })
  const create = async () =>
    (await server.as(merchant.test)('POST', '/payment_intents', { body: paying('th_bank_transfer') })).body.id
  const before = await create()
  await run('pg_dump', ['--format=custom', '--schema=paysim', `--file=${dump}`, store])
  const after = await create()
  await server.kill()

  await run('pg_restore', ['--exit-on-error', `--dbname=${other}`, dump])
  // The dump contains the lease of the process that served, which must have expired.
  await expect.poll(async () => (await place.paysim(['store', 'check', other])).code).toBe(0)
  const { server: restored } = await startCluster({ store: other, nodes: 1 })
  onTestFinished(() => restored.kill())
  const statusOf = async (id: string) =>
    (await restored.as(merchant.test)('GET', `/payment_intents/${id}`)).status
  expect([await statusOf(before), await statusOf(after)]).toEqual([200, 404])
  expect(
    (await restored.as(merchant.test)('POST', '/payment_intents', { body: paying('th_bank_transfer') }))
      .status,
  ).toBe(201)
})
