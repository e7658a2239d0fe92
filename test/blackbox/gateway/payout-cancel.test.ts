import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import {
  expectRefusal,
  idOfNothing,
  invalid,
  invalidState,
  notFound,
  unsupportedMediaType,
} from '../../support/http/refusals.ts'
import { addPayout, cancelPayout, movePayout, readPayout } from '../../support/payments/payouts.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const cancelRaw = (account: Account, id: string, raw: string | undefined, contentType?: string) =>
  account.call('POST', `/payout_intents/${id}/cancel`, {
    ...(raw === undefined ? {} : { raw }),
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })

const accepted: [string, string | undefined, string?][] = [
  ['no body and no Content-Type', undefined],
  ['no body under a JSON Content-Type', undefined, 'application/json'],
  ['an empty object', '{}', 'application/json'],
  ['a reason', '{"reason":"Duplicate"}', 'application/json'],
  ['a charset', '{"reason":"Duplicate"}', 'application/json; charset=utf-8'],
  ['a media type in capitals', '{}', 'APPLICATION/JSON'],
  ['an unknown member, which is ignored', '{"note":"x","status":"succeeded"}', 'application/json'],
  ['a reason of 1 character', '{"reason":"x"}', 'application/json'],
  ['a reason of 512 characters', JSON.stringify({ reason: 'r'.repeat(512) }), 'application/json'],
  ['a reason of 512 code points', JSON.stringify({ reason: '😀'.repeat(512) }), 'application/json'],
]

describe('a payout waiting for approval is cancelled', () => {
  test.each(accepted)('with %s', async (_, raw, contentType) => {
    const account = await openAccount(server())
    const { id } = await addPayout(account)
    await account.advance('1m')
    const answer = await cancelRaw(account, id, raw, contentType)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({
      id,
      object: 'payout_intent',
      status: 'cancelled',
      failure_code: null,
    })
    expect(answer.body.updated_at).toBe(await account.now())
    expect(await readPayout(account, id)).toEqual(answer.body)
  })
})

const refused: [string, string, string, number, string?][] = [
  ['an empty reason', '{"reason":""}', 'application/json', 400, 'reason'],
  [
    'a reason of 513 characters',
    JSON.stringify({ reason: 'r'.repeat(513) }),
    'application/json',
    400,
    'reason',
  ],
  [
    'a reason of 513 code points',
    JSON.stringify({ reason: '😀'.repeat(513) }),
    'application/json',
    400,
    'reason',
  ],
  ['a reason that is null', '{"reason":null}', 'application/json', 400, 'reason'],
  ['a reason that is a number', '{"reason":7}', 'application/json', 400, 'reason'],
  ['a reason that is an array', '{"reason":["x"]}', 'application/json', 400, 'reason'],
  ['a reason that is an object', '{"reason":{}}', 'application/json', 400, 'reason'],
  ['a reason that is true', '{"reason":true}', 'application/json', 400, 'reason'],
  ['a body that is an array', '[]', 'application/json', 400],
  ['a body that is a string', '"reason"', 'application/json', 400],
  ['a body that is a number', '5', 'application/json', 400],
  ['a body that is null', 'null', 'application/json', 400],
  ['malformed JSON', '{"reason":', 'application/json', 400],
  ['text', 'reason', 'text/plain', 415],
  ['a form', 'reason=x', 'application/x-www-form-urlencoded', 415],
  ['JSON under no JSON name', '{}', 'application/jsonp', 415],
]

describe('a bad cancel is refused and changes nothing', () => {
  test.each(refused)('%s', async (_, raw, contentType, status, field) => {
    const account = await openAccount(server())
    const { id } = await addPayout(account)
    const before = await readPayout(account, id)
    await account.advance('1m')
    const answer = await cancelRaw(account, id, raw, contentType)
    expectRefusal(answer, status === 415 ? unsupportedMediaType : invalid(field))
    expect(await readPayout(account, id)).toEqual(before)
  })
})

describe('only the state requires_approval can be cancelled', () => {
  const states: [string, string[]][] = [
    ['processing', ['approve']],
    ['succeeded', ['approve', 'succeed']],
    ['failed', ['approve', 'fail']],
  ]
  test.each(states)('a payout that is %s cannot', async (status, moves) => {
    const account = await openAccount(server())
    const { id } = await addPayout(account)
    for (const move of moves) await succeeded(movePayout(account, id, move))
    const before = await readPayout(account, id)
    expect(before.status).toBe(status)
    expectRefusal(await cancelPayout(account, id, { reason: 'Too late' }), invalidState)
    expect(await readPayout(account, id)).toEqual(before)
  })

  test('refuses a second cancel, and keeps the first reason', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id, { reason: 'First' }))
    expectRefusal(await cancelPayout(account, id, { reason: 'Second' }), invalidState)
    expectRefusal(await cancelPayout(account, id), invalidState)
    await settle(account)
    expect(receiver.deliveries.map(({ event }) => event.data.cancel_reason)).toEqual(['First'])
  })
})

describe('the reason', () => {
  const reasons = ['Duplicate of 17', ' spaces kept ', '“quoted” \\ \n\t <b>é</b> 😀', '😀'.repeat(512)]

  test.each(reasons)('comes back unchanged in the webhook: %j', async reason => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id, { reason }))
    await settle(account)
    expect(receiver.deliveries.map(({ event }) => event.data.cancel_reason)).toEqual([reason])
  })

  test('is absent from the webhook when none was given', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id))
    await settle(account)
    expect(receiver.deliveries[0]?.event.data).toEqual(await readPayout(account, id))
  })

  test('is shown with the payout on the control surface', async () => {
    const account = await openAccount(server())
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id, { reason: 'Duplicate of 17' }))
    const kept = (await rows(account.control('GET', '/payouts'))).find((payout: Json) => payout.id === id)
    expect(JSON.stringify(kept)).toContain('Duplicate of 17')
  })
})

describe('precedence', () => {
  test.each([
    ['no body', undefined],
    ['a bad reason, which is looked at later', { reason: '' }],
  ])('an unknown payout is 404 with %s', async (_, body) => {
    const account = await openAccount(server())
    expectRefusal(await cancelPayout(account, idOfNothing('po'), body), notFound)
  })

  test('malformed JSON to an unknown payout is 400, a wrong media type 415', async () => {
    const account = await openAccount(server())
    expectRefusal(await cancelRaw(account, idOfNothing('po'), '{', 'application/json'), invalid())
    expectRefusal(await cancelRaw(account, idOfNothing('po'), '{}', 'text/plain'), unsupportedMediaType)
  })

  test('a bad reason for an already cancelled payout is 400', async () => {
    const account = await openAccount(server())
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id))
    expectRefusal(await cancelPayout(account, id, { reason: '' }), invalid('reason'))
  })

  test.each([
    'po_1',
    'pi_000000000000000000000000',
    '%20',
    '__proto__',
    'constructor',
    '..%2f..',
    'x'.repeat(3000),
  ])('a malformed id is 404: %s', async id => {
    const account = await openAccount(server())
    expectRefusal(await cancelPayout(account, id), notFound)
  })
})
