import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Merchant, openAccount, openMerchant } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, withoutIdentity } from '../../support/http/answers.ts'
import { basic, exchange, hostOf } from '../../support/http/raw-http.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { attach, storeAsset, upload } from '../../support/payments/receipts.ts'

const server = sharedServer()
let merchant: Merchant
let account: Account
let stranger: Account

beforeAll(async () => {
  merchant = await openMerchant(server())
  account = merchant.test
  stranger = await openAccount(server())
})

const NEVER = `pi_${'0'.repeat(24)}`
/** What every object in JavaScript has by these names is no kind of record. */
const NO_IDS = ['constructor_1', 'toStringX', '__proto___1', '_', 'valueOf_']

/** The operations on one intent, each as it would succeed on a pending intent of its own. */
const operations: [string, (asker: Account, id: string) => Promise<Answer>][] = [
  ['retrieve', (asker, id) => asker.call('GET', `/payment_intents/${id}`)],
  ['cancel-pending', (asker, id) => asker.cancel(id)],
  ['receipt by upload', (asker, id) => upload(asker, id, png(1))],
  ['receipt by asset', async (asker, id) => attach(asker, id, { asset_id: await storeAsset(asker, png(2)) })],
]

describe.each(operations)('%s', (_, operate) => {
  test('of an unknown id: 404 not_found', async () => {
    for (const id of [NEVER, ...NO_IDS]) expectError(await operate(account, id), 404, 'not_found')
  })

  test("of another merchant's intent gets the answer for an unknown one", async () => {
    const made = await account.pay('probe_receipt')
    const foreign = await operate(stranger, made.id)
    expect(withoutIdentity(foreign, made.id)).toEqual(withoutIdentity(await operate(stranger, NEVER), NEVER))
    expect(await account.read(made.id)).toEqual(made)
  })

  test("of the other environment's intent gets the answer for an unknown one, both ways", async () => {
    for (const [owner, asker] of [
      [merchant.test, merchant.live],
      [merchant.live, merchant.test],
    ] as const) {
      const made = await owner.pay('probe_receipt')
      const foreign = await operate(asker, made.id)
      expect(withoutIdentity(foreign, made.id)).toEqual(withoutIdentity(await operate(asker, NEVER), NEVER))
      expect(await owner.read(made.id)).toEqual(made)
    }
  })

  test('of an id that differs only in case: 404', async () => {
    const made = await account.pay('probe_receipt')
    const letters = made.id.slice('pi_'.length)
    const swapped = letters.replaceAll(/[a-zA-Z]/g, (letter: string) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    expectError(await operate(account, `pi_${swapped}`), 404, 'not_found')
  })
})

describe('a malformed id is refused', () => {
  const ids: [string, string][] = [
    ['no prefix', '0'.repeat(24)],
    ['the prefix alone', 'pi_'],
    ["another kind's prefix", `po_${'0'.repeat(24)}`],
    ['a member of every object', '__proto__'],
    ['a method of every object', 'constructor'],
    ['another', 'hasOwnProperty'],
    ['an encoded NUL', 'pi_%00'],
    ['an encoded slash', 'pi_a%2Fb'],
    ['an encoded slash and dots', '..%2F..%2Fetc%2Fpasswd'],
    ['an encoded backslash', 'pi_a%5Cb'],
    ['an encoded question mark', 'pi_%3Fx'],
    ['encoded emoji', '%F0%9F%92%B8'],
    ['an encoded space', '%20'],
    ['an encoded line break', 'pi_%0d%0aX-Injected:%201'],
    ['a semicolon', 'pi_;x=1'],
    ['5,000 characters', 'p'.repeat(5000)],
    ['SQL', "'%20OR%20'1'='1"],
    ['markup', '%3Cscript%3E'],
  ]

  test.each(ids)('%s', async (_, id) => {
    expectError(await account.call('GET', `/payment_intents/${id}`), 404, 'not_found')
    expectError(await account.cancel(id), 404, 'not_found')
    expectError(await attach(account, id, { asset_id: 'ast_none' }), 404, 'not_found')
  })

  test.each([
    ['a percent sign that encodes nothing', '%zz', [400, 404]],
    ['a percent sign at the end', 'pi_%', [400, 404]],
    ['an encoding that is not UTF-8', '%C3%28', [400, 404]],
    ['two dots', '..', [404, 405]],
    ['two encoded dots', '%2e%2e', [404, 405]],
    ['one dot', '.', [404, 405]],
    ['raw bytes', 'pi_é', [400, 404]],
    ['more than a header may have', 'p'.repeat(100_000), [404, 414, 431]],
  ])('%s', async (_, id, statuses) => {
    const answer = await exchange(server().url, [
      `GET /payment_intents/${id} HTTP/1.1`,
      `Host: ${hostOf(server().url)}`,
      `Authorization: ${basic(account.keys)}`,
    ])
    expect(statuses).toContain(answer.status)
    expect((await account.payHosted()).status).toBe('pending')
  })
})

test('an id may be percent-encoded', async () => {
  const made = await account.pay('probe_transfer')
  const encoded = `%70%69${made.id.slice(2)}`
  expect((await account.call('GET', `/payment_intents/${encoded}`)).body).toEqual(made)
})

test('a query on retrieval is ignored', async () => {
  const made = await account.pay('probe_transfer')
  const answer = await account.call('GET', `/payment_intents/${made.id}?environment=live&expand[]=customer`)
  expect(answer.body).toEqual(made)
})
