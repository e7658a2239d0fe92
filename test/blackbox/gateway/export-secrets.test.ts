import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { IdSource } from '../../../src/engine/account/ids.ts'
import { sealLine } from '../../../src/engine/journal/journal-format.ts'
import {
  type Account,
  accountOf,
  type Json,
  openAccount,
  rows,
  succeeded,
} from '../../support/gateway/merchant.ts'
import { ownServer, restarted, sharedServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { subscribe } from '../../support/webhooks/receiver.ts'

/** An export may be given to anybody: no key, webhook secret or signature is in it, or follows from it. */

const server = sharedServer()

const exported = (account: Account) => succeeded(account.control('GET', '/export'))
const importInto = (account: Account, body: unknown) => succeeded(account.control('PUT', '/import', { body }))
const endpoints = (account: Account) => rows(account.control('GET', '/webhook-endpoints'))
const secrets = async (account: Account) => (await endpoints(account)).map(({ secret }) => secret)
const rotate = (account: Account, { id }: { id: string }) =>
  succeeded(account.control('POST', `/webhook-endpoints/${id}/rotate-secret`, { body: {} }))
const signatureOf = ({ next_action: action }: Json) =>
  new URL(action.qr_image_url).searchParams.get('signature')

const GIVEN = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

/** All that earlier versions derived from a seed for the first entries of an account. */
function derivedFrom(seed: string, environment = 'test') {
  const source = new IdSource(seed)
  const keys = [0, 1, 2].flatMap(nth => Object.values(source.newKeyPair(environment, nth)))
  const drawn = Array.from({ length: 400 }, (_, at) => source.newSecret(Math.floor(at / 8), at % 8))
  return { texts: [...keys, ...drawn], sign: (id: string) => source.sign(`qr/${id}/`) }
}

/** An account with a payment that has a page, and an endpoint with each kind of secret. */
async function filled(settings: Record<string, unknown> = {}, on = server()) {
  const account = await openAccount(on, settings)
  const payment = await createPayment(account)
  const drawn = await subscribe(account, 'http://127.0.0.1:9/drawn')
  const body = { url: 'http://127.0.0.1:9/given', secret: GIVEN }
  await succeeded(account.control('POST', '/webhook-endpoints', { body }))
  await rotate(account, drawn)
  return { account, payment }
}

describe.each<[string, Record<string, unknown>]>([
  ['without a seed', {}],
  ['with a seed', { seed: 'known to nobody else' }],
])('the export of an account %s', (_, settings) => {
  test('has no secret, and none follows from it', async () => {
    const { account, payment } = await filled(settings)
    const saved = await exported(account)
    const text = JSON.stringify(saved)
    const added = await succeeded(account.control('POST', '/keys'))
    const own = [account.keys.secret_key, added.secret_key, ...(await secrets(account))]
    expect(text).not.toContain('whsec_')
    for (const secret of own) expect(text).not.toContain(secret)
    const { texts, sign } = derivedFrom(saved.seed)
    for (const secret of own) expect(texts).not.toContain(secret)
    expect(sign(payment.id)).not.toBe(signatureOf(payment))
    expect(text).not.toContain('known to nobody else')
  })

  test('brings its own account back as it was, with its secrets and the addresses of its pages', async () => {
    const { account, payment } = await filled(settings)
    const [before, saved] = [await endpoints(account), await exported(account)]
    await succeeded(account.control('POST', '/reset'))
    await importInto(account, saved)
    expect(await endpoints(account)).toEqual(before)
    expect(await account.read(payment.id)).toEqual(payment)
    expect((await fetch(payment.next_action.qr_image_url)).status).toBe(200)
    // Its next ids are others than those that it gave before the import.
    expect(await exported(account)).toEqual({ ...saved, seed: expect.stringContaining(`${saved.seed}\n`) })
  })

  test('brings no secret into another account, which keeps its keys', async () => {
    const { account, payment } = await filled(settings)
    const other = await openAccount(server())
    const saved = await exported(account)
    await importInto(other, saved)
    const [own, its] = [await secrets(account), await secrets(other)]
    expect(its).toHaveLength(own.length)
    for (const secret of its) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
      expect([...own, ...derivedFrom(saved.seed).texts]).not.toContain(secret)
    }
    // With the account's own keys.
    const copy = await other.read(payment.id)
    expect([signatureOf(payment), derivedFrom(saved.seed).sign(payment.id)]).not.toContain(signatureOf(copy))
    expect((await fetch(copy.next_action.qr_image_url)).status).toBe(200)
    const forged = new URL(copy.next_action.qr_image_url)
    forged.searchParams.set('signature', derivedFrom(saved.seed).sign(payment.id))
    expect((await fetch(forged)).status).toBe(403)
  })
})

test('an import of an earlier version has its endpoints, and gives nothing else away', async () => {
  const { account, payment } = await filled()
  const saved = await exported(account)
  for (const { events } of saved.entries)
    for (const event of events) {
      if (event.type === 'EndpointAdded') event.secret = GIVEN
      if (event.type === 'EndpointSecretsSet') for (const each of event.secrets) each.secret = GIVEN
    }
  const other = await openAccount(server())
  await importInto(other, { ...saved, seed: 'the seed of an earlier version' })
  expect(await secrets(other)).toEqual([GIVEN, GIVEN])
  const { texts, sign } = derivedFrom('the seed of an earlier version')
  const [first] = await endpoints(other)
  const rotated = (await rotate(other, first as never)).secret
  const added = await succeeded(other.control('POST', '/keys'))
  for (const secret of [rotated, added.secret_key, other.keys.secret_key]) expect(texts).not.toContain(secret)
  expect(signatureOf(await other.read(payment.id))).not.toBe(sign(payment.id))
})

describe('a directory of an earlier version', () => {
  const SEED = 'the only secret of an earlier version'

  /** As an earlier version wrote it: keys follow from the seed, and there is no other secret. */
  async function earlier() {
    const before = await ownServer()
    const { id } = await openAccount(before)
    await before.stop()
    const path = join(before.dataDir, 'merchants.jsonl')
    const pair = new IdSource(SEED).newKeyPair('test', 0)
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    const changed = lines.map(line => {
      const { crc: _, ...change } = JSON.parse(line)
      if (change.merchant && `${change.merchant.id}.test` === id)
        change.merchant.accounts.test = { seed: SEED, keys: [pair], keysMade: 1 }
      return sealLine(JSON.stringify(change))
    })
    await writeFile(path, changed.join(''))
    await rm(join(before.dataDir, 'seal.jsonl'))
    const server = await ownServer({ dataDir: before.dataDir })
    const [merchant = '', environment] = id.split('.')
    const keys = { id, merchant, environment, public_key: pair.publicKey, secret_key: pair.secretKey }
    return { server, ...accountOf(server, keys as Account['keys']) }
  }

  test('has the same keys and addresses of pages, and its exports give neither away', async () => {
    const account = await earlier()
    const payment = await createPayment(account)
    expect(signatureOf(payment)).toBe(derivedFrom(SEED).sign(payment.id))
    const { seed } = await exported(account)
    expect(seed).not.toBe(SEED)
    expect(derivedFrom(seed).texts).not.toContain(account.keys.secret_key)
    expect(derivedFrom(seed).sign(payment.id)).not.toBe(signatureOf(payment))
  })

  test('has keys that do not follow from its seed from now on, and a secret of its own after a reset', async () => {
    const account = await earlier()
    const added = await succeeded(account.control('POST', '/keys'))
    expect(derivedFrom(SEED).texts).not.toContain(added.secret_key)
    await succeeded(account.control('POST', '/reset'))
    const payment = await createPayment(account)
    expect(signatureOf(payment)).not.toBe(derivedFrom(SEED).sign(payment.id))
    expect((await fetch(payment.next_action.qr_image_url)).status).toBe(200)
    const { secret } = await subscribe(account, 'http://127.0.0.1:9/hook')
    expect(derivedFrom(SEED).texts).not.toContain(secret)
    const saved = await exported(account)
    expect(JSON.stringify(saved)).not.toContain(SEED)
    const again = await restarted(account.server)
    expect(await accountOf(again, account.keys).read(payment.id)).toEqual(payment)
  })
})

test('the same seed gives the same secrets and the same export', async () => {
  const told = async () => {
    const own = await ownServer({ args: ['--seed', '7', '--clock', 'virtual'] })
    const { account, payment } = await filled({ id: 'told' }, own)
    return [account.keys, await secrets(account), signatureOf(payment), await exported(account)]
  }
  expect(await told()).toEqual(await told())
})
