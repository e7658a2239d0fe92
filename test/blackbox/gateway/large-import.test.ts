import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { accountOf, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, recovered } from '../../support/gateway/shared-server.ts'
import { isLong } from '../../support/long-form.ts'
import { createPayment } from '../../support/payments/payments.ts'

/** An archive of so many payouts; each entry has a kilobyte. With timers, their approval is long due. */
function largeArchive(count: number, timers = false): string {
  const at = Date.UTC(2026, 0, 1)
  const recipient = { bankCode: 'bbl', holderName: 'x'.repeat(700), accountLast4: '1234' }
  const entries = Array.from({ length: count }, (_, index) => {
    const created = {
      type: 'PayoutCreated',
      payout: `po_${index}`,
      amount: '100',
      currency: 'THB',
      country: 'TH',
    }
    const event = { ...created, merchantReference: `order-${index}`, recipient, status: 'requires_approval' }
    const command = { type: 'MovePayout', payout: `po_${index}`, trigger: 'approve' }
    const timer = { type: 'TimerSet', timer: `po_${index}:approve`, dueAt: at + count, command }
    return { v: 1, seq: index + 1, at: at + index, by: 'operator', events: timers ? [event, timer] : [event] }
  })
  return JSON.stringify({ paysim: 1, account: 'other.test', seed: 'a seed', entries, images: {} })
}

/** So many that an import is many pieces of work, of which each may make others wait. */
const MANY = isLong ? 25_000 : 10_000

/** Asks again and again until the work is done. Returns how long the slowest answer took, as a share of the work. */
async function slowestShare(ask: () => Promise<unknown>, work: Promise<unknown>): Promise<number> {
  let done = false
  const begun = performance.now()
  const end = work.finally(() => {
    done = true
  })
  let slowest = 0
  while (!done) {
    const from = performance.now()
    await ask()
    slowest = Math.max(slowest, performance.now() - from)
  }
  await end
  return slowest / (performance.now() - begun)
}

const headers = { 'content-type': 'application/json' }

/** Work in one piece makes somebody wait for nearly all of it. A busy machine slows both alike. */
const LARGEST_SHARE = 0.5

test('other accounts are served while a large one is imported and exported', async () => {
  const server = await ownServer()
  const [account, other] = [await openAccount(server), await openAccount(server)]
  const { id } = await createPayment(other)
  const raw = largeArchive(MANY)
  const ask = async () => {
    await succeeded(server.control('GET', '/health'))
    await other.read(id)
  }
  await ask()
  const importing = account.control('PUT', '/import', { raw, headers })
  expect(await slowestShare(ask, importing)).toBeLessThan(LARGEST_SHARE)
  expect((await importing).body).toEqual({ account: account.id, entries: MANY })

  const authorization = `Bearer ${server.controlToken}`
  const exporting = fetch(`${server.controlUrl}/accounts/${account.id}/export`, {
    headers: { authorization },
  }).then(answer => answer.arrayBuffer())
  expect(await slowestShare(ask, exporting)).toBeLessThan(LARGEST_SHARE)
  expect((await exporting).byteLength).toBeGreaterThan(800 * MANY)
})

test('other accounts are served while the due timers of an import fire', async () => {
  const server = await ownServer()
  const [account, other] = [await openAccount(server), await openAccount(server)]
  const { id } = await createPayment(other)
  const raw = largeArchive(MANY / 2, true)
  const ask = () => other.read(id)
  await ask()
  // The import without its clock is on a running one.
  const work = account.control('PUT', '/import', { raw, headers }).then(async answer => {
    await succeeded(answer)
    return succeeded(account.control('GET', '/overview'))
  })
  expect(await slowestShare(ask, work)).toBeLessThan(LARGEST_SHARE)
  expect((await work).payouts.by_status).toMatchObject({ requires_approval: 0, processing: MANY / 2 })
})

test('an archive over the size limit is refused, and the error names the limit', async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  const { hostname, port } = new URL(server.url)
  const path = `/_paysim/accounts/${account.id}/import`
  const call = request({ hostname, port, path, method: 'PUT' })
  call.setHeader('authorization', `Bearer ${server.controlToken}`)
  call.setHeader('content-type', 'application/json')
  call.setHeader('content-length', String(512 * 1024 * 1024 + 1))
  call.flushHeaders()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(413)
  expect(await text(answer)).toContain('The archive is over 512 MiB')
  call.destroy()
})

test('an archive with its members under __proto__ is refused', async () => {
  const account = await openAccount(await ownServer())
  const frame = { paysim: 1, account: account.id, seed: 'a seed', entries: [], images: {} }
  const raw = `{"__proto__":${JSON.stringify(frame)}}`
  const { status, body } = await account.control('PUT', '/import', { raw, headers })
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain('paysim is required')
})

/** When the server is killed: at once, while the new journal is written, and as soon as it is there. */
const MOMENTS: [string, (folder: string) => Promise<unknown>][] = [
  ['at once', async () => {}],
  ['while the new journal is written', folder => until(folder, 'journal.jsonl.new', true)],
  [
    'when the new journal is renamed',
    async folder => {
      await until(folder, 'journal.jsonl.new', true)
      await until(folder, 'journal.jsonl.new', false)
    },
  ],
]

async function until(folder: string, name: string, there: boolean): Promise<void> {
  while ((await readdir(folder)).includes(name) !== there) await new Promise(setImmediate)
}

test.each(MOMENTS)(
  'an import killed %s leaves either the old or the new account, complete',
  async (_, moment) => {
    const first = await ownServer()
    const account = await openAccount(first)
    const { id } = await createPayment(account)
    const importing = account
      .control('PUT', '/import', { raw: largeArchive(5000), headers })
      .catch(() => undefined)
    await moment(join(first.dataDir, 'accounts', account.id))
    const second = await recovered(first)
    await importing
    const same = accountOf(second, account.keys)
    const payouts = await rows(same.control('GET', '/payouts'))
    const payments = await rows(same.control('GET', '/payments'))
    expect([
      [0, [id]],
      [5000, []],
    ]).toContainEqual([payouts.length, payments.map(payment => payment.id)])
    await createPayment(same)
    // The create may have begun a new file of the journal, which has such a draft too. A stop waits for it.
    await second.stop()
    const left = await readdir(join(first.dataDir, 'accounts', account.id))
    expect(left.filter(name => /new|old/.test(name))).toEqual([])
  },
)
