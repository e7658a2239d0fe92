import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { copyOf, fingerprints, journalHolding } from '../../support/disk/data-directory.ts'
import { type Account, accountOf, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { removeDirectory, startServer } from '../../support/gateway/server.ts'
import { ownServer, restarted } from '../../support/gateway/shared-server.ts'
import { expectRefusal, notFound, unavailable } from '../../support/http/refusals.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { addPayout, listedIds } from '../../support/payments/payouts.ts'

type Payments = readonly [Json, Json, Json]

let original: { dataDir: string; account: Account; payments: Payments }
beforeAll(async () => {
  const server = await startServer()
  const account = await openAccount(server)
  const payments: Payments = [
    await createPayment(account),
    await createPayment(account),
    await createPayment(account),
  ]
  await server.stop()
  original = { dataDir: server.dataDir, account, payments }
  return () => removeDirectory(server.dataDir)
})

/** A stopped server's directory, with three payments in one journal. */
async function stoppedWithThreePayments() {
  const { account, payments } = original
  const dataDir = await copyOf(original.dataDir)
  return { dataDir, account, payments, journal: await journalHolding(dataDir, payments[1].id) }
}

describe('a torn last line', () => {
  test.each(['{"v":1,"seq":99,"at":"20', '{', '\0\0\0\0'])('of %j is removed and reported', async torn => {
    const { dataDir, account, payments, journal } = await stoppedWithThreePayments()
    const whole = await readFile(journal, 'utf8')
    await appendFile(journal, torn)

    const second = await ownServer({ dataDir })
    expect(second.stderr()).toContain(basename(journal))
    const same = accountOf(second, account.keys)
    for (const payment of payments) expect(await same.read(payment.id)).toEqual(payment)
    const mended = await readFile(journal, 'utf8')
    expect(mended.startsWith(whole)).toBe(true)
    for (const line of mended.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  })

  test('of a create, after a kill, is kept aside; earlier payments are whole, and the journal stays valid', async () => {
    const first = await ownServer()
    const account = await openAccount(first)
    const payments = [
      await createPayment(account),
      await createPayment(account),
      await createPayment(account),
    ]
    await first.kill()
    const { dataDir } = first
    const journal = await journalHolding(dataDir, payments[1]?.id)
    const text = await readFile(journal, 'utf8')
    const lastLine = text.trimEnd().split('\n').at(-1) ?? ''
    const end = Buffer.byteLength(text) - Math.ceil(Buffer.byteLength(lastLine) / 2)
    await truncate(journal, end)
    const torn = (await readFile(journal, 'utf8')).split('\n').at(-1)

    const second = await ownServer({ dataDir })
    const aside = /kept in (\S+);/.exec(second.stderr())?.[1]
    expect(await readFile(String(aside), 'utf8')).toBe(torn)
    expect(second.stderr()).toContain('whether more was confirmed is not known')
    const same = accountOf(second, account.keys)
    expect(await same.read(payments[0]?.id)).toEqual(payments[0])
    expectRefusal(await same.call('GET', `/payment_intents/${payments[2]?.id}`), notFound)
    const later = await createPayment(same)
    expect(later.id).not.toBe(payments[2]?.id)

    const third = await restarted(second)
    expect(third.stderr()).toBe('')
    const sameAgain = accountOf(third, account.keys)
    expect(await sameAgain.read(later.id)).toEqual(later)
  })
})

const damages: [string, (line: string) => string][] = [
  ['garbage inside', line => `${line.slice(0, 20)}\u0001#?#${line.slice(24)}`],
  ['cut in half', line => line.slice(0, line.length / 2)],
  ['empty', () => ''],
  ['another JSON value', () => '[]'],
  ['an object of nothing we know', () => '{"hello":"world"}'],
]

describe('a damaged line in the middle stops its account', () => {
  test.each(damages)(
    '%s: reports the line, changes nothing, and serves other accounts',
    async (_, damage) => {
      const { dataDir, account, payments, journal } = await stoppedWithThreePayments()
      const lines = (await readFile(journal, 'utf8')).split('\n')
      const index = lines.findIndex(line => line.includes(payments[1].id))
      expect(index).toBeGreaterThanOrEqual(0)
      expect(index).toBeLessThan(lines.length - 2)
      lines[index] = damage(lines[index] ?? '')
      await writeFile(journal, lines.join('\n'))
      const before = await fingerprints(dirname(journal))

      const server = await ownServer({ dataDir })
      const same = accountOf(server, account.keys)
      // Damage that leaves the size as it was is found at the first call.
      const call = await same.call('GET', `/payment_intents/${payments[0].id}`)
      await expect.poll(server.stderr).toContain(journal)
      expect(server.stderr()).toMatch(new RegExp(`(line |:)${index + 1}\\b`))
      expect(server.stderr()).not.toMatch(/^\s+at /m)
      expect(server.stderr().trim().split('\n')).toHaveLength(1)
      expectRefusal(call, unavailable)
      expect(call.text).toContain(account.id)
      expectRefusal(await server.control('GET', `/accounts/${account.id}/clock`), unavailable)
      expect((await server.control('GET', '/ready')).body).toEqual({ status: 'ready', stopped: [account.id] })
      await createPayment(await openAccount(server))
      expect(await fingerprints(dirname(journal))).toEqual(before)
    },
  )

  test('a start with every account damaged names each journal, and serves new merchants', async () => {
    const { dataDir } = await stoppedWithThreePayments()
    const accounts = join(dataDir, 'accounts')
    const ids = await readdir(accounts)
    for (const id of ids) await writeFile(join(accounts, id, 'journal.jsonl'), '[]\n[]\n')
    const server = await ownServer({ dataDir })
    for (const id of ids) expect(server.stderr()).toContain(join(accounts, id, 'journal.jsonl'))
    expect(server.stderr()).not.toMatch(/^\s+at /m)
    expect((await server.control('GET', '/ready')).body.stopped.sort()).toEqual(ids.sort())
    await createPayment(await openAccount(server))
  })

  test('once the line is repaired, every record is back', async () => {
    const { dataDir, account, payments, journal } = await stoppedWithThreePayments()
    const good = await readFile(journal, 'utf8')
    await writeFile(journal, good.replace(payments[1].id, `${payments[1].id}"`))
    await (await ownServer({ dataDir })).stop()
    await writeFile(journal, good)

    const same = accountOf(await ownServer({ dataDir }), account.keys)
    for (const payment of payments) expect(await same.read(payment.id)).toEqual(payment)
  })
})

test('a start after a clean stop prints nothing on stderr', async () => {
  const { dataDir, account } = await stoppedWithThreePayments()
  const second = await ownServer({ dataDir })
  expect(second.stderr()).toBe('')
  const same: Account = accountOf(second, account.keys)
  const payout = await addPayout(same)
  expect(await listedIds(same)).toEqual([payout.id])
})
