import { describe, expect, test } from 'vitest'
import { IdSource } from '../../../src/engine/account/ids.ts'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, sharedServer } from '../../support/gateway/shared-server.ts'
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

/** All that follows from a seed for the first entries of an account. */
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

test('an import with secrets in plain text has its endpoints, and gives nothing else away', async () => {
  const { account, payment } = await filled()
  const saved = await exported(account)
  for (const { events } of saved.entries)
    for (const event of events) {
      if (event.type === 'EndpointAdded') event.secret = GIVEN
      if (event.type === 'EndpointSecretsSet') for (const each of event.secrets) each.secret = GIVEN
    }
  const other = await openAccount(server())
  await importInto(other, { ...saved, seed: 'the seed of another' })
  expect(await secrets(other)).toEqual([GIVEN, GIVEN])
  const { texts, sign } = derivedFrom('the seed of another')
  const [first] = await endpoints(other)
  const rotated = (await rotate(other, first as never)).secret
  const added = await succeeded(other.control('POST', '/keys'))
  for (const secret of [rotated, added.secret_key, other.keys.secret_key]) expect(texts).not.toContain(secret)
  expect(signatureOf(await other.read(payment.id))).not.toBe(sign(payment.id))
})

test('the same seed gives the same secrets and the same export', async () => {
  const told = async () => {
    const own = await ownServer({ args: ['--seed', '7', '--clock', 'virtual'] })
    const { account, payment } = await filled({ id: 'told' }, own)
    return [account.keys, await secrets(account), signatureOf(payment), await exported(account)]
  }
  expect(await told()).toEqual(await told())
})
