import { describe, expect, test } from 'vitest'
import { openSmallDisk, whyNoSmallDisk } from '../../support/disk/small-disk.ts'
import {
  type Account,
  accountOf,
  openAccount,
  openMerchant,
  rows,
  succeeded,
} from '../../support/gateway/merchant.ts'
import { serveUntilExit } from '../../support/gateway/serve-process.ts'
import type { Answer, Server } from '../../support/gateway/server.ts'
import { ownServer, recovered, restarted } from '../../support/gateway/shared-server.ts'
import { expectRefusal, unavailable } from '../../support/http/refusals.ts'
import { createPayment, hostedBody, paymentBody, postPayment } from '../../support/payments/payments.ts'
import { addPayout, cancelPayout, listPayouts, readPayout } from '../../support/payments/payouts.ts'
import { HOUR, msBetween } from '../../support/time/instants.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const reason = whyNoSmallDisk()
if (reason !== undefined) console.warn(`The full disk is not tested here: ${reason}`)

async function onSmallDisk(): Promise<{
  server: Server
  account: Account
  disk: ReturnType<typeof openSmallDisk>
}> {
  const disk = openSmallDisk()
  const server = await ownServer({ dataDir: disk.dataDir })
  return { server, account: await openAccount(server), disk }
}

/** Fills the disk, and what room the files' last blocks still have; returns the creates that were still accepted. */
async function fillUp(account: Account, fill: () => void) {
  fill()
  const accepted = []
  for (let attempt = 0; attempt < 500; attempt++) {
    const answer = await postPayment(account, paymentBody({ merchant_reference: 'r'.repeat(256) }))
    if (answer.status !== 201) {
      expectRefusal(answer, unavailable)
      return accepted
    }
    accepted.push(answer.body)
  }
  throw new Error('the disk is full, and creates go on')
}

const paymentIds = async (account: Account) =>
  (await rows(account.control('GET', '/payments'))).map(({ id }) => id).sort()

describe.skipIf(reason !== undefined)('on a full disk', () => {
  test('a create is 503 and leaves no record, and reads still work', async () => {
    const { account, disk } = await onSmallDisk()
    const before = await createPayment(account)
    const payout = await addPayout(account)
    const accepted = await fillUp(account, disk.fill)
    const known = [before.id, ...accepted.map(({ id }) => id)].sort()

    const refused: Promise<Answer>[] = Array.from({ length: 20 }, () => postPayment(account, paymentBody()))
    for (const answer of await Promise.all(refused)) expectRefusal(answer, unavailable)
    expect(await paymentIds(account)).toEqual(known)
    expect(await account.read(before.id)).toEqual(before)
    expect((await succeeded(listPayouts(account))).data).toMatchObject([{ id: payout.id }])
  })

  test.each([
    ['a clean stop', restarted],
    ['a crash', recovered],
  ])('creates work again when space returns, and the records survive %s', async (_, again) => {
    const { server, account, disk } = await onSmallDisk()
    const accepted = await fillUp(account, disk.fill)
    const once = () => postPayment(account, paymentBody(), { 'idempotency-key': 'once' })
    expectRefusal(await once(), unavailable)
    disk.empty()

    const created = await once()
    expect(created.status, created.text).toBe(201)
    expect(created.headers.get('idempotent-replayed')).toBeNull()
    expect((await once()).body.id).toBe(created.body.id)
    const known = [created.body.id, ...accepted.map(({ id }) => id)].sort()
    expect(await paymentIds(account)).toEqual(known)

    const same = accountOf(await again(server), account.keys)
    expect(await paymentIds(same)).toEqual(known)
    expect(await same.read(created.body.id)).toEqual(created.body)
  })

  test.each([0, 1, 2, 3])('a first start with %i free blocks reports the problem in one line', async free => {
    const { dataDir, fill } = openSmallDisk()
    fill(free)
    const { code, stderr } = await serveUntilExit(['--port', '0', '--data', dataDir])
    expect(stderr).toMatch(/^paysim serve: the data directory \S+ cannot be \w+: ENOSPC: .*\n$/)
    expect(stderr).toContain(dataDir)
    expect(code).toBe(1)
  })

  test('a refused cancel does not change the payout, and sends no event', async () => {
    const { account, disk } = await onSmallDisk()
    const receiver = await listen(account)
    const { id } = await addPayout(account)
    await fillUp(account, disk.fill)
    const reasonOf = (length: number) => ({ reason: 'r'.repeat(length) })
    expectRefusal(await cancelPayout(account, id, reasonOf(512)), unavailable)
    expect((await readPayout(account, id)).status).toBe('requires_approval')
    expect(receiver.deliveries).toEqual([])
    disk.empty()
    expect(await succeeded(cancelPayout(account, id))).toMatchObject({ status: 'cancelled' })
    await settle(account)
    expect(receiver.deliveries).toHaveLength(1)
  })

  test('a refused cancel-pending makes no provider call', async () => {
    const { account, disk } = await onSmallDisk()
    const payments = await Promise.all(Array.from({ length: 40 }, () => createPayment(account)))
    const cancelled = async () =>
      (await rows(account.control('GET', '/provider-calls')))
        .filter(({ call }) => call === 'cancel')
        .map(({ payment }) => payment)
    disk.fill()
    // What is left of a block takes a few; the write of the next one fails, and after it nothing is written.
    const [accepted, refused]: [string[], string[]] = [[], []]
    for (const { id } of payments) {
      const answer = await account.cancel(id)
      if (answer.status !== 202) expectRefusal(answer, unavailable)
      const answered = answer.status === 202 ? accepted : refused
      answered.push(id)
    }
    expect(refused).not.toEqual([])
    expect(await cancelled()).toEqual(accepted)
    disk.empty()
    for (const id of refused) expect((await account.cancel(id)).status).toBe(202)
    expect(await cancelled()).toEqual([...accepted, ...refused])
  })

  test('a checkout policy that cannot be saved does not take effect', async () => {
    const { server, disk } = await onSmallDisk()
    const merchant = await openMerchant(server)
    await fillUp(merchant.test, disk.fill)
    const patch = (body: unknown) => server.control('PATCH', `/merchants/${merchant.id}`, { body })
    // What is left of a block that the file has already still takes a few lines.
    let name = ''
    for (let nth = 0; ; nth++) {
      const next = `${nth} ${'n'.repeat(200)}`
      const { status } = await patch({ name: next })
      if (status !== 200) break
      name = next
    }
    const restrict = () => patch({ checkout_modes: ['merchant'], name: 'm'.repeat(256) })
    expectRefusal(await restrict(), unavailable)
    const now = await succeeded(server.control('GET', `/merchants/${merchant.id}`))
    expect(now.checkout_modes).toHaveLength(2)
    if (name) expect(now.name).toBe(name)
    disk.empty()
    expect((await postPayment(merchant.test, hostedBody())).status).toBe(201)
    await succeeded(restrict())
    expect((await postPayment(merchant.test, hostedBody())).status).toBe(403)
  })

  test('a clock advance that cannot be saved is 503: no time passes, and its timers fire later', async () => {
    const { account, disk } = await onSmallDisk()
    // Together, what happens to them takes more than what is left of a block.
    await Promise.all(Array.from({ length: 40 }, () => createPayment(account)))
    const statuses = async () =>
      new Set((await rows(account.control('GET', '/payments'))).map(({ status }) => status))
    const before = await succeeded(account.control('GET', '/clock'))
    disk.fill()
    const advance = () => account.control('POST', '/clock/advance', { body: { by: '73h' } })
    // The write of the first fails; the second is refused before anything is written.
    for (const answer of [await advance(), await advance()]) {
      expectRefusal(answer, unavailable)
      expect(await succeeded(account.control('GET', '/clock'))).toEqual(before)
      expect(await statuses()).toEqual(new Set(['pending']))
    }
    disk.empty()
    await account.advance('73h')
    expect(msBetween(before.now, await account.now())).toBe(73 * HOUR)
    expect(await statuses()).toEqual(new Set(['expired']))
  })
})
