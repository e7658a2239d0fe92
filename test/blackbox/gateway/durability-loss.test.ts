import { existsSync } from 'node:fs'
import { open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, describe, expect, test } from 'vitest'
import { copyOf } from '../../support/disk/data-directory.ts'
import {
  type Account,
  accountOf,
  type Json,
  openAccount,
  rows,
  succeeded,
} from '../../support/gateway/merchant.ts'
import { serveUntilExit } from '../../support/gateway/serve-process.ts'
import { removeDirectory, startServer } from '../../support/gateway/server.ts'
import { ownServer, restarted } from '../../support/gateway/shared-server.ts'
import { expectRefusal, notFound, unavailable } from '../../support/http/refusals.ts'
import { createPayment, createTransfer, uploadReceipt } from '../../support/payments/payments.ts'
import { BINARY } from '../../support/paysim-binary.ts'

let original: { dataDir: string; account: Account; payments: Json[]; digest: string }
beforeAll(async () => {
  const server = await startServer()
  const account = await openAccount(server)
  const transfer = await createTransfer(account)
  await succeeded(uploadReceipt(account, transfer.id, 'key'))
  const { images } = await succeeded(account.control('GET', '/export'))
  const payments = [await createPayment(account), await createPayment(account), await createPayment(account)]
  await server.stop()
  original = { dataDir: server.dataDir, account, payments, digest: Object.keys(images)[0] ?? '' }
  return () => removeDirectory(server.dataDir)
})

const paysim = (...args: string[]) => execa(process.execPath, [BINARY, ...args], { reject: false })
const journalIn = (dataDir: string) => join(dataDir, 'accounts', original.account.id, 'journal.jsonl')

/** Where the last line of a file begins. */
async function lastLine(path: string): Promise<number> {
  return (await readFile(path)).subarray(0, -1).lastIndexOf(0x0a) + 1
}

async function zero(path: string, from: number): Promise<void> {
  const handle = await open(path, 'r+')
  const { size } = await handle.stat()
  await handle.write(Buffer.alloc(size - from), 0, size - from, from)
  await handle.close()
}

type Harm = (path: string) => Promise<void>
const harms: [string, Harm][] = [
  ['deleted', path => rm(path)],
  ['deleted with its folder', path => rm(dirname(path), { recursive: true })],
  ['cut to nothing', path => truncate(path, 0)],
  ['cut between two lines', async path => truncate(path, await lastLine(path))],
  ['cut inside a line', async path => truncate(path, (await lastLine(path)) + 20)],
  ['zeroed at its end', async path => zero(path, await lastLine(path))],
  ['zeroed as a whole', path => zero(path, 0)],
]

async function idsOf(account: Account): Promise<string[]> {
  return (await rows(account.control('GET', '/payments'))).map(({ id }) => id)
}

describe('a journal that is', () => {
  test.each(harms)(
    '%s since a clean stop: the account stops, until its loss is accepted',
    async (_, harm) => {
      const { account, payments } = original
      const dataDir = await copyOf(original.dataDir)
      const journal = journalIn(dataDir)
      await harm(journal)

      for (const end of ['kill', 'stop'] as const) {
        const server = await ownServer({ dataDir })
        expect(server.stderr()).toContain(journal)
        expect(server.stderr()).toContain(`paysim store accept-loss file:${dataDir} ${account.id}`)
        expect((await server.control('GET', '/ready')).body.stopped).toEqual([account.id])
        const refused = await accountOf(server, account.keys).call(
          'GET',
          `/payment_intents/${payments[0]?.id}`,
        )
        expectRefusal(refused, unavailable)
        for (const named of [account.id, 'journal.jsonl', 'paysim store accept-loss'])
          expect(refused.text).toContain(named)
        expect(refused.text).not.toContain(dataDir)
        await createPayment(await openAccount(server))
        await server[end]()
      }
      const checked = await paysim('store', 'check', `file:${dataDir}`)
      expect([checked.exitCode, checked.stdout]).toEqual([10, expect.stringContaining(journal)])

      const left = existsSync(journal) ? await readFile(journal) : undefined
      const accepted = await paysim('store', 'accept-loss', `file:${dataDir}`, account.id)
      expect(accepted.exitCode, accepted.stderr).toBe(0)
      const isCutOff = left !== undefined && left.length > 0 && left.at(-1) !== 0x0a
      if (isCutOff) expect(accepted.stdout).toMatch(/kept in \S+/)
      expect((await paysim('store', 'check', `file:${dataDir}`)).exitCode).toBe(0)

      const after = await ownServer({ dataDir })
      expect(after.stderr()).toBe('')
      const same = accountOf(after, account.keys)
      const kept = await idsOf(same)
      for (const payment of payments)
        if (kept.includes(payment.id)) expect(await same.read(payment.id)).toEqual(payment)
        else expectRefusal(await same.call('GET', `/payment_intents/${payment.id}`), notFound)
      expect(kept).not.toContain(payments[2]?.id)
      for (let nth = 0; nth < 6; nth++)
        expect(payments.map(({ id }) => id)).not.toContain((await createPayment(same)).id)
    },
  )

  test.each(harms.filter(([what]) => /deleted|nothing/.test(what)))(
    '%s after a kill: the account stops',
    async (_, harm) => {
      const first = await ownServer()
      const account = await openAccount(first)
      await createPayment(account)
      await first.kill()
      const journal = join(first.dataDir, 'accounts', account.id, 'journal.jsonl')
      await harm(journal)
      const second = await ownServer({ dataDir: first.dataDir })
      expect(second.stderr()).toContain(journal)
      expectRefusal(await accountOf(second, account.keys).call('GET', '/payout_intents'), unavailable)
    },
  )
})

describe('no id is given twice', () => {
  test.each([{}, { seed: 7 }])('after a kill whose last entries are lost: %j', async settings => {
    const first = await ownServer()
    const account = await openAccount(first, settings)
    const journal = join(first.dataDir, 'accounts', account.id, 'journal.jsonl')
    const given = new Set<string>()
    let last = first
    for (let round = 0; round < 3; round++) {
      const same = accountOf(last, account.keys)
      for (let nth = 0; nth < 2; nth++) given.add((await createPayment(same)).id)
      await last.kill()
      await truncate(journal, await lastLine(journal))
      last = await ownServer({ dataDir: first.dataDir })
    }
    expect(given.size).toBe(6)
  })

  test.each([{}, { seed: 7 }])(
    'after an older export was imported, also after a restart: %j',
    async settings => {
      const server = await ownServer()
      const account = await openAccount(server, settings)
      const given = new Set([(await createPayment(account)).id])
      const older = await succeeded(account.control('GET', '/export'))
      given.add((await createPayment(account)).id)
      await succeeded(account.control('PUT', '/import', { body: older }))
      given.add((await createPayment(account)).id)
      const again = accountOf(await restarted(server), account.keys)
      await succeeded(again.control('PUT', '/import', { body: older }))
      for (let nth = 0; nth < 2; nth++) given.add((await createPayment(again)).id)
      expect(given.size).toBe(5)
    },
  )

  test('and with a seed, restarts do not change the ids', async () => {
    const ids = async (restart: boolean) => {
      let server = await ownServer()
      const account = await openAccount(server, { id: 'shop', seed: 7 })
      const made: string[] = []
      for (let nth = 0; nth < 3; nth++) {
        made.push((await createPayment(accountOf(server, account.keys))).id)
        if (restart) server = await restarted(server)
      }
      return made
    }
    expect(await ids(true)).toEqual(await ids(false))
  })
})

describe('a pack of images that is', () => {
  test.each(harms.filter(([what]) => !/line/.test(what)))(
    '%s is said, and its images answer 503',
    async (_, harm) => {
      const { account, digest } = original
      const dataDir = await copyOf(original.dataDir)
      const pack = join(dataDir, 'accounts', account.id, 'images', 'pack-1')
      await harm(pack)
      const checked = await paysim('store', 'check', `file:${dataDir}`)
      expect([checked.exitCode, checked.stdout]).toEqual([10, expect.stringContaining(pack)])
      // It is said again after a stop that changed something.
      let server = await ownServer({ dataDir })
      await createPayment(accountOf(server, account.keys))
      server = await restarted(server)
      expect(server.stderr()).toContain(pack)
      const same = accountOf(server, account.keys)
      for (const path of [`/images/${digest}`, '/export']) {
        const answer = await same.control('GET', path)
        expectRefusal(answer, unavailable)
        expect(answer.text).toContain(digest)
      }
      expect((await same.control('GET', `/images/${'0'.repeat(64)}`)).status).toBe(404)
    },
  )
})

test('a list of merchants that lost its last lines stops the start by name', async () => {
  const dataDir = await copyOf(original.dataDir)
  const list = join(dataDir, 'merchants.jsonl')
  await truncate(list, await lastLine(list))
  const { code, stderr } = await serveUntilExit(['--json', '--port', '0', '--data', dataDir])
  expect([code, stderr]).toEqual([1, expect.stringContaining(list)])
  const checked = await paysim('store', 'check', `file:${dataDir}`)
  expect([checked.exitCode, checked.stdout]).toEqual([10, expect.stringContaining(list)])
  expect((await paysim('store', 'accept-loss', `file:${dataDir}`, 'merchants.jsonl')).exitCode).toBe(0)
  await ownServer({ dataDir })
})

test('store check changes nothing, and finds an incomplete last line', async () => {
  const dataDir = await copyOf(original.dataDir)
  const journal = journalIn(dataDir)
  const torn = `${await readFile(journal, 'utf8')}{"v":1,"seq"`
  await writeFile(journal, torn)
  const checked = await paysim('store', 'check', `file:${dataDir}`)
  expect([checked.exitCode, checked.stdout]).toEqual([10, expect.stringContaining(journal)])
  expect(await readFile(journal, 'utf8')).toBe(torn)
})

test('accept-loss refuses an account that is not there, and changes nothing of a whole one', async () => {
  const dataDir = await copyOf(original.dataDir)
  const nobody = await paysim('store', 'accept-loss', `file:${dataDir}`, 'nobody.test')
  expect([nobody.exitCode, nobody.stderr]).toEqual([
    2,
    expect.stringContaining('there is no account nobody.test'),
  ])
  const before = await readFile(journalIn(dataDir))
  const { stdout } = await paysim('store', 'accept-loss', `file:${dataDir}`, original.account.id)
  expect(stdout).not.toContain('kept in')
  expect(await readFile(journalIn(dataDir))).toEqual(before)
})
