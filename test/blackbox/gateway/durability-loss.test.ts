import { existsSync } from 'node:fs'
import { open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { cleanEnvironment } from '../../support/cli/clean-environment.ts'
import { runCommand } from '../../support/cli/run-command.ts'
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
import { removeDirectory, type Server, startServer } from '../../support/gateway/server.ts'
import { ownServer, restarted } from '../../support/gateway/shared-server.ts'
import { expectRefusal, notFound, unavailable } from '../../support/http/refusals.ts'
import { createPayment, createTransfer, uploadReceipt } from '../../support/payments/payments.ts'

/** An account that has a receipt and three payments. */
interface Kept {
  readonly account: Account
  readonly payments: readonly Json[]
}

async function keep(server: Server): Promise<Kept> {
  const account = await openAccount(server)
  const transfer = await createTransfer(account)
  await succeeded(uploadReceipt(account, transfer.id, 'key'))
  return {
    account,
    payments: [await createPayment(account), await createPayment(account), await createPayment(account)],
  }
}

/** One account for each harm, and one that nothing happens to. */
let original: { dataDir: string; accounts: readonly Kept[]; whole: Kept; digest: string }
beforeAll(async () => {
  const server = await startServer()
  const accounts: Kept[] = []
  for (const _ of harms) accounts.push(await keep(server))
  const whole = await keep(server)
  const { images } = await succeeded(whole.account.control('GET', '/export'))
  await server.stop()
  original = { dataDir: server.dataDir, accounts, whole, digest: Object.keys(images)[0] ?? '' }
  return () => removeDirectory(server.dataDir)
})

const paysim = (...args: string[]) => {
  const { dataDir } = original
  return runCommand(args, { cwd: dataDir, env: cleanEnvironment(dataDir) })
}
const folderOf = (dataDir: string, { id }: Account) => join(dataDir, 'accounts', id)
const journalOf = (dataDir: string, account: Account) => join(folderOf(dataDir, account), 'journal.jsonl')

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

/** What `store check` says of a directory that has lost something. */
async function checkedLoss(dataDir: string): Promise<string> {
  const { code, stdout } = await paysim('store', 'check', `file:${dataDir}`)
  expect(code, stdout).toBe(10)
  return stdout
}

async function idsOf(account: Account): Promise<string[]> {
  return (await rows(account.control('GET', '/payments'))).map(({ id }) => id)
}

describe('journals that are deleted, cut or zeroed', () => {
  test('since a clean stop: each account stops until its loss is accepted, and no other does', async () => {
    const dataDir = await copyOf(original.dataDir)
    const harmed = harms.map(([what, harm], nth) => {
      const { account, payments } = original.accounts[nth] ?? original.whole
      return { what, harm, account, payments, journal: journalOf(dataDir, account) }
    })
    for (const { harm, journal } of harmed) await harm(journal)

    for (const end of ['kill', 'stop'] as const) {
      const server = await ownServer({ dataDir })
      const { stopped } = (await server.control('GET', '/ready')).body
      expect(stopped.toSorted()).toEqual(harmed.map(({ account }) => account.id).sort())
      for (const { what, account, payments, journal } of harmed) {
        expect(server.stderr(), what).toContain(journal)
        expect(server.stderr(), what).toContain(`paysim store accept-loss file:${dataDir} ${account.id}`)
        const refused = await accountOf(server, account.keys).call(
          'GET',
          `/payment_intents/${payments[0]?.id}`,
        )
        expectRefusal(refused, unavailable)
        for (const named of [account.id, 'journal.jsonl', 'paysim store accept-loss'])
          expect(refused.text, what).toContain(named)
        expect(refused.text).not.toContain(dataDir)
      }
      const { account, payments } = original.whole
      expect(await accountOf(server, account.keys).read(payments[0]?.id)).toEqual(payments[0])
      await createPayment(await openAccount(server))
      await server[end]()
    }
    const loss = await checkedLoss(dataDir)
    for (const { what, journal } of harmed) expect(loss, what).toContain(journal)

    for (const { what, account, journal } of harmed) {
      // The loss of the others is accepted or not: that of this account is still there.
      expect(await checkedLoss(dataDir), what).toContain(journal)
      const left = existsSync(journal) ? await readFile(journal) : undefined
      const accepted = await paysim('store', 'accept-loss', `file:${dataDir}`, account.id)
      expect(accepted.code, accepted.stderr).toBe(0)
      const isCutOff = left !== undefined && left.length > 0 && left.at(-1) !== 0x0a
      if (isCutOff) expect(accepted.stdout, what).toMatch(/kept in \S+/)
    }
    expect((await paysim('store', 'check', `file:${dataDir}`)).code).toBe(0)

    const after = await ownServer({ dataDir })
    expect(after.stderr()).toBe('')
    for (const { what, account, payments } of harmed) {
      const same = accountOf(after, account.keys)
      const kept = await idsOf(same)
      for (const payment of payments)
        if (kept.includes(payment.id)) expect(await same.read(payment.id), what).toEqual(payment)
        else expectRefusal(await same.call('GET', `/payment_intents/${payment.id}`), notFound)
      expect(kept, what).not.toContain(payments[2]?.id)
      for (let nth = 0; nth < 6; nth++)
        expect(payments.map(({ id }) => id)).not.toContain((await createPayment(same)).id)
    }
  })

  test('after a kill: each account whose journal is not there stops', async () => {
    const first = await ownServer()
    const lost: { what: string; harm: Harm; account: Account; journal: string }[] = []
    for (const [what, harm] of harms.filter(([name]) => /deleted|nothing/.test(name))) {
      const account = await openAccount(first)
      await createPayment(account)
      lost.push({ what, harm, account, journal: journalOf(first.dataDir, account) })
    }
    await first.kill()
    for (const { harm, journal } of lost) await harm(journal)
    const second = await ownServer({ dataDir: first.dataDir })
    for (const { what, account, journal } of lost) {
      expect(second.stderr(), what).toContain(journal)
      expectRefusal(await accountOf(second, account.keys).call('GET', '/payout_intents'), unavailable)
    }
  })
})

describe('no id is given twice', () => {
  /** Without a seed, and with one. */
  const SETTINGS = [{}, { seed: 7 }]

  test('after a kill whose last entries are lost', async () => {
    const first = await ownServer()
    const accounts: { account: Account; given: Set<string> }[] = []
    for (const settings of SETTINGS)
      accounts.push({ account: await openAccount(first, settings), given: new Set() })
    let last = first
    for (let round = 0; round < 3; round++) {
      for (const { account, given } of accounts)
        for (let nth = 0; nth < 2; nth++) given.add((await createPayment(accountOf(last, account.keys))).id)
      await last.kill()
      for (const { account } of accounts) {
        const journal = journalOf(first.dataDir, account)
        await truncate(journal, await lastLine(journal))
      }
      last = await ownServer({ dataDir: first.dataDir })
    }
    expect(accounts.map(({ given }) => given.size)).toEqual([6, 6])
  })

  test('after an older export was imported, also after a restart', async () => {
    const server = await ownServer()
    const accounts: { account: Account; older: Json; given: Set<string> }[] = []
    for (const settings of SETTINGS) {
      const account = await openAccount(server, settings)
      const given = new Set([(await createPayment(account)).id])
      const older = await succeeded(account.control('GET', '/export'))
      given.add((await createPayment(account)).id)
      await succeeded(account.control('PUT', '/import', { body: older }))
      given.add((await createPayment(account)).id)
      accounts.push({ account, older, given })
    }
    const second = await restarted(server)
    for (const { account, older, given } of accounts) {
      const again = accountOf(second, account.keys)
      await succeeded(again.control('PUT', '/import', { body: older }))
      for (let nth = 0; nth < 2; nth++) given.add((await createPayment(again)).id)
    }
    expect(accounts.map(({ given }) => given.size)).toEqual([5, 5])
  })

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

test('packs of images that are deleted, cut or zeroed are named, and their images answer 503', async () => {
  const { digest } = original
  const dataDir = await copyOf(original.dataDir)
  const harmed = harms.flatMap(([what, harm], nth) => {
    const { account } = original.accounts[nth] ?? original.whole
    const pack = join(folderOf(dataDir, account), 'images', 'pack-1')
    return /line/.test(what) ? [] : { what, harm, account, pack }
  })
  expect(harmed).toHaveLength(5)
  for (const { harm, pack } of harmed) await harm(pack)
  const loss = await checkedLoss(dataDir)
  for (const { what, pack } of harmed) expect(loss, what).toContain(pack)
  // It is said again after a stop that changed something.
  let server = await ownServer({ dataDir })
  for (const { account } of harmed) await createPayment(accountOf(server, account.keys))
  server = await restarted(server)
  for (const { what, account, pack } of harmed) {
    expect(server.stderr(), what).toContain(pack)
    const same = accountOf(server, account.keys)
    for (const path of [`/images/${digest}`, '/export']) {
      const answer = await same.control('GET', path)
      expectRefusal(answer, unavailable)
      expect(answer.text).toContain(digest)
    }
    expect((await same.control('GET', `/images/${'0'.repeat(64)}`)).status).toBe(404)
  }
  const { account } = original.whole
  expect((await accountOf(server, account.keys).control('GET', `/images/${digest}`)).status).toBe(200)
})

test('a list of merchants that lost its last lines stops the start by name', async () => {
  const dataDir = await copyOf(original.dataDir)
  const list = join(dataDir, 'merchants.jsonl')
  await truncate(list, await lastLine(list))
  const { code, stderr } = await serveUntilExit(['--json', '--port', '0', '--data', dataDir])
  expect([code, stderr]).toEqual([1, expect.stringContaining(list)])
  expect(await checkedLoss(dataDir)).toContain(list)
  expect((await paysim('store', 'accept-loss', `file:${dataDir}`, 'merchants.jsonl')).code).toBe(0)
  await ownServer({ dataDir })
})

test('store check changes nothing, and finds an incomplete last line', async () => {
  const dataDir = await copyOf(original.dataDir)
  const journal = journalOf(dataDir, original.whole.account)
  const torn = `${await readFile(journal, 'utf8')}{"v":1,"seq"`
  await writeFile(journal, torn)
  expect(await checkedLoss(dataDir)).toContain(journal)
  expect(await readFile(journal, 'utf8')).toBe(torn)
})

test('accept-loss refuses an account that is not there, and changes nothing of a whole one', async () => {
  const dataDir = await copyOf(original.dataDir)
  const nobody = await paysim('store', 'accept-loss', `file:${dataDir}`, 'nobody.test')
  expect([nobody.code, nobody.stderr]).toEqual([
    2,
    expect.stringContaining('there is no account nobody.test'),
  ])
  const { account } = original.whole
  const before = await readFile(journalOf(dataDir, account))
  const { stdout } = await paysim('store', 'accept-loss', `file:${dataDir}`, account.id)
  expect(stdout).not.toContain('kept in')
  expect(await readFile(journalOf(dataDir, account))).toEqual(before)
})
