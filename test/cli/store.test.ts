import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openWorkplace } from '../support/cli/workplace.ts'
import { accountOf, openAccount, rows, succeeded } from '../support/gateway/merchant.ts'
import type { Server } from '../support/gateway/server.ts'
import { ownServer } from '../support/gateway/shared-server.ts'
import { createPayment, createTransfer, uploadReceipt } from '../support/payments/payments.ts'
import { addPayout } from '../support/payments/payouts.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'
import { subscribe } from '../support/webhooks/receiver.ts'

/** Whether a store is consistent, and a store moved to another place. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`Copies to and from PostgreSQL are not tested here: ${reason}`)

async function workplace() {
  const place = await openWorkplace()
  onTestFinished(place.close)
  return place
}

/** A server with a merchant that has records of each kind, and what the server exports of it. */
async function filled() {
  const server = await ownServer()
  const account = await openAccount(server)
  await account.trigger((await createPayment(account)).id, 'succeed')
  await uploadReceipt(account, (await createTransfer(account)).id, 'one')
  await addPayout(account)
  const endpoint = await subscribe(account, 'http://127.0.0.1:9/hook')
  const payment = await createPayment(account)
  return { server, keys: account, payment, endpoint, exported: await exportOf(server, account.id) }
}

const exportOf = async (server: Server, id: string) =>
  (await succeeded(server.control('GET', `/accounts/${id}/export`))) as unknown

describe('a store in a directory', () => {
  test('is checked, and copied completely', async () => {
    const place = await workplace()
    const { server, keys, payment, endpoint, exported } = await filled()
    const from = `file:${server.dataDir}`
    const busy = await place.paysim(['store', 'check', from])
    expect(busy).toMatchObject({ code: 2, stdout: '' })
    expect(busy.stderr).toMatch(/^paysim: another paysim \(pid \d+\) already serves .*\n$/)
    await server.stop()

    const checked = await place.paysim(['store', 'check', from])
    expect(checked).toMatchObject({ code: 0, stderr: '' })
    expect(checked.stdout).toMatch(
      /2 merchants, 3 payments, 1 payout, 1 image, \d+ entries of history\nIt is consistent/,
    )
    const copied = await place.paysim(['store', 'copy', from, 'file:copy', '-o', 'json'])
    expect(copied.code, copied.stderr).toBe(0)
    const { totals } = JSON.parse(copied.stdout)
    const again = await place.paysim(['store', 'check', 'file:copy', '-o', 'json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ totals, problems: [] })

    const second = await ownServer({ dataDir: place.path('copy') })
    expect(await exportOf(second, keys.id)).toEqual(exported)
    // The keys, secrets and addresses of pages are the same too.
    const copy = accountOf(second, keys.keys)
    await createPayment(copy)
    expect(await rows(copy.control('GET', '/webhook-endpoints'))).toEqual([endpoint])
    const { pathname, search } = new URL(payment.next_action.qr_image_url)
    expect((await fetch(`${second.url}${pathname}${search}`)).status).toBe(200)
    await second.stop()
    const twice = await place.paysim(['store', 'copy', from, 'file:copy'])
    expect(twice).toMatchObject({ code: 2, stdout: '' })
    expect(twice.stderr).toContain('copy is not empty')
  })

  test.each([
    ['an entry', 'journal.jsonl', 'is damaged'],
    ['an image', 'images', 'is missing or damaged'],
  ])('with a damaged byte in %s is not consistent', async (_, name, message) => {
    const place = await workplace()
    const { server, keys } = await filled()
    await server.stop()
    const folder = join(server.dataDir, 'accounts', keys.id)
    const path =
      name === 'images'
        ? join(folder, name, (await readdir(join(folder, name)))[0] ?? '')
        : join(folder, name)
    const bytes = await readFile(path)
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    await writeFile(path, bytes)
    const checked = await place.paysim(['store', 'check', `file:${server.dataDir}`, '-o', 'json'])
    expect(checked.code).toBe(10)
    const { problems } = JSON.parse(checked.stdout)
    expect(problems).toContainEqual({ account: keys.id, message: expect.stringContaining(message) })
    const copied = await place.paysim(['store', 'copy', `file:${server.dataDir}`, 'file:copy'])
    expect(copied).toMatchObject({ code: 1, stdout: '' })
    expect(copied.stderr).toContain(message)
  })
})

test.each([
  [['check', 'file:nowhere'], 'nowhere contains no paysim data: it has no '],
  [['check', 'memory:'], 'a store in memory ends with its process'],
  [['check', 'redis://me:hidden@host'], 'redis:'],
  [['accept-loss', 'file:nowhere', 'default.test'], 'nowhere contains no paysim data: it has no '],
  [['copy', 'file:nowhere', 'file:there'], 'nowhere contains no paysim data: it has no '],
])('paysim store %j says what is wrong, and creates nothing', async (args, message) => {
  const place = await workplace()
  const { code, stdout, stderr } = await place.paysim(['store', ...args])
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('hidden')
  expect(await readdir(place.path('.'))).toEqual([])
})

test.skipIf(reason !== undefined)('a store moves into PostgreSQL and back', async () => {
  const place = await workplace()
  const { server, keys, exported } = await filled()
  await server.stop()
  const database = await (await workerPostgres()).newDatabase()
  const empty = await place.paysim(['store', 'check', database])
  expect(empty).toMatchObject({ code: 2, stdout: '' })
  expect(empty.stderr).toMatch(/the schema paysim of \S+ contains no paysim data/)
  for (const [from, to] of [
    [`file:${server.dataDir}`, database],
    [database, 'file:back'],
  ] as const) {
    const { code, stderr } = await place.paysim(['store', 'copy', from, to])
    expect(code, stderr).toBe(0)
    expect(await place.paysim(['store', 'check', to])).toMatchObject({ code: 0 })
  }
  // There is nothing to accept: a database keeps the entries of an account together, or a backup has them.
  const accepted = await place.paysim(['store', 'accept-loss', database, keys.id])
  expect(accepted).toMatchObject({ code: 2, stdout: '' })
  expect(accepted.stderr).toMatch(
    /is a database, .*: restore it from a backup by its own means\. Nothing was changed\n$/,
  )
  expect(await place.paysim(['store', 'check', database])).toMatchObject({ code: 0 })
  const back = await ownServer({ dataDir: place.path('back') })
  expect(await exportOf(back, keys.id)).toEqual(exported)
})

test.skipIf(reason !== undefined)(
  'commands see the processes on one database as one simulator, which blocks a check and a copy',
  async () => {
    const place = await openWorkplace({ apart: true })
    onTestFinished(place.close)
    const postgres = await workerPostgres()
    const database = await postgres.newDatabase()
    const shown = database.replace(/\/\/.*@/, '//')
    for (let nth = 0; nth < 2; nth++) {
      const server = place.start(['serve', '--port', '0', '--store', database])
      onTestFinished(async () => {
        server.interrupt()
        await server.ended
      })
      expect(await server.says(/Press Ctrl-C/)).toContain(`data       ${shown}`)
    }
    expect(await place.paysim(['payouts', 'list'])).toMatchObject({ code: 0, stderr: '' })
    // Nobody holds a merchant that has just moved, or whose process has stopped.
    const name = new URL(database).pathname.slice(1)
    for (const holdings of ['', 'UPDATE paysim.holdings SET holder = NULL']) {
      if (holdings !== '') await postgres.query(name, holdings)
      for (const args of [
        ['check', database],
        ['copy', database, 'file:copy'],
      ]) {
        const busy = await place.paysim(['store', ...args])
        expect(busy).toMatchObject({ code: 2, stdout: '' })
        expect(busy.stderr).toMatch(
          /^paysim: another paysim, \S+ at http:\S+, serves postgres:\S+; stop every server that uses it\n$/,
        )
      }
    }
  },
)

test.skipIf(reason !== undefined).each([
  ['serve', '--store'],
  ['store', 'check'],
  ['doctor', '--store'],
])('paysim %s %s ends at once without the password of its database', async (...command) => {
  const place = await openWorkplace({ apart: true })
  onTestFinished(place.close)
  const url = new URL(await (await workerPostgres()).newDatabase())
  url.password = ''
  const passfile = await place.write('passfile', '')
  await chmod(passfile, 0o644)
  for (const [env, message, code] of [
    [{}, 'asks for a password', 7],
    [{ PGPASSFILE: passfile }, 'other users can read the password file', 2],
  ] as const) {
    const begun = performance.now()
    const run = await place.paysim([...command, url.href], { env })
    expect(run.code, run.stderr).toBe(code)
    expect(run.stdout + run.stderr).toContain(message)
    // PostgreSQL would close the connection after a minute.
    expect(performance.now() - begun).toBeLessThan(40_000)
  }
})
