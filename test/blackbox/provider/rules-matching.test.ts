import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectReplay } from '../../support/http/answers.ts'
import { discovering, paying } from '../../support/payments/requests.ts'
import {
  backToDefault,
  decides,
  decidesPayout,
  mark,
  markPayouts,
  putInFront,
  putRules,
  type Rule,
} from '../../support/provider/rules.ts'

const server = sharedServer()

/** What decides so many payments, one after the other. */
async function decisions(account: Account, count: number, changes: Rule = {}) {
  const marks: (string | null)[] = []
  for (let made = 0; made < count; made += 1) marks.push(await decides(account, changes))
  return marks
}

async function accountWith(...rules: Rule[]): Promise<Account> {
  const account = await openAccount(server())
  await putRules(account, ...rules)
  return account
}

const A = { merchant_reference: 'a' }

describe('of several rules', () => {
  test('the first matching one wins, whatever follows', async () => {
    const account = await accountWith(mark('no', { merchant_reference: 'b' }), mark('one'), mark('two'))
    expect(await decisions(account, 2)).toEqual(['one', 'one'])
  })

  test('a broad rule in front of a narrow one is used, but not a broad rule behind it', async () => {
    const [broad, narrow] = [mark('broad'), mark('narrow', A)]
    expect(await decides(await accountWith(broad, narrow), A)).toBe('broad')
    expect(await decides(await accountWith(narrow, broad), A)).toBe('narrow')
  })

  test('the winning one decides everything, and later ones add nothing', async () => {
    const account = await accountWith({ name: 'silent' }, mark('later'))
    const { id } = await account.pay('probe_transfer')
    await account.advance('1h')
    expect((await account.read(id)).status).toBe('pending')
  })
})

describe('times', () => {
  test('after a rule is used up, the next matching one applies', async () => {
    const account = await accountWith(
      mark('twice', {}, { times: 2 }),
      mark('once', {}, { times: 1 }),
      mark('rest'),
    )
    expect(await decisions(account, 5)).toEqual(['twice', 'twice', 'once', 'rest', 'rest'])
  })

  test('after the last rule is used up, the payment waits for its payer', async () => {
    expect(await decisions(await accountWith(mark('once', {}, { times: 1 })), 2)).toEqual(['once', null])
  })

  test('only matching payments use up a rule', async () => {
    const account = await accountWith(mark('a', A, { times: 1 }))
    await decisions(account, 3, { merchant_reference: 'b' })
    expect(await decisions(account, 2, A)).toEqual(['a', null])
  })

  test('payments and payouts share one count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1, outcome: fails('once') }), mark('rest'))
    await decidesPayout(account)
    expect(await decides(account)).toBe('rest')
  })

  test('payouts use up their rules too', async () => {
    const account = await accountWith(markPayouts('once', {}, { times: 1 }), markPayouts('rest'))
    expect(await decidesPayout(account)).toBe('once')
    expect(await decidesPayout(account)).toBe('rest')
  })
})

describe('nth', () => {
  test.each([1, 2, 4])('%i matches only that one', async nth => {
    const account = await accountWith(mark('nth', { nth }))
    expect(await decisions(account, 5)).toEqual([1, 2, 3, 4, 5].map(one => (one === nth ? 'nth' : null)))
  })

  test('counts only what the rest of the match covers', async () => {
    const account = await accountWith(mark('second', { ...A, nth: 2 }))
    expect(await decides(account, A)).toBeNull()
    expect(await decisions(account, 3, { merchant_reference: 'b' })).toEqual([null, null, null])
    expect(await decides(account, A)).toBe('second')
  })

  test('leaves the others to the rules after it', async () => {
    const account = await accountWith(mark('second', { nth: 2 }), mark('third', { nth: 2 }), mark('rest'))
    expect(await decisions(account, 4)).toEqual(['rest', 'second', 'third', 'rest'])
  })

  test('in a `not` excludes only that match', async () => {
    const account = await accountWith(mark('others', {}, { not: { nth: 2 } }))
    expect(await decisions(account, 3)).toEqual(['others', null, 'others'])
  })
})

describe('requests that start nothing at a provider are not counted', () => {
  test('a refused request does not count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1 }))
    const refused = await account.call('POST', '/payment_intents', {
      body: paying('probe_transfer', { amount: '0' }),
    })
    expectError(refused, 400, 'validation_failed')
    const unroutable = await account.call('POST', '/payment_intents', { body: paying('probe_sick') })
    expect(unroutable.status).toBe(422)
    expect(await decides(account)).toBe('once')
  })

  test('discovery does not count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1 }))
    await account.call('GET', discovering())
    expect(await decides(account)).toBe('once')
  })

  test('a replay does not count', async () => {
    const account = await accountWith(mark('first two', {}, { times: 2 }))
    const request = { body: paying('probe_transfer'), headers: { 'idempotency-key': 'once' } }
    const first = await account.call('POST', '/payment_intents', request)
    expectReplay(await account.call('POST', '/payment_intents', request), first)
    expect(await decisions(account, 2)).toEqual(['first two', null])
  })

  test('a hosted intent whose payer has not chosen does not count', async () => {
    const account = await accountWith(mark('once', {}, { times: 1 }))
    const waiting: Json = await account.payHosted()
    expect(await decides(account)).toBe('once')
    await account.advance('1m')
    expect((await account.read(waiting.id)).failure_code).toBeNull()
  })
})

describe('when the rules change', () => {
  test('rules moved behind others keep their counts', async () => {
    const account = await accountWith(
      mark('once', {}, { times: 1 }),
      mark('third', { ...A, nth: 3 }),
      mark('twice', {}, { times: 2 }),
      mark('rest'),
    )
    expect(await decisions(account, 2, A)).toEqual(['once', 'twice'])
    await putInFront(account, mark('b', { merchant_reference: 'b' }), mark('c', { merchant_reference: 'c' }))
    expect(await decides(account, { merchant_reference: 'b' })).toBe('b')
    expect(await decisions(account, 3, A)).toEqual(['twice', 'third', 'rest'])
  })

  test('rules put in front have their own counts', async () => {
    const account = await accountWith(mark('old', {}, { times: 1 }))
    await putInFront(account, mark('new', {}, { times: 1 }))
    await putInFront(account, mark('newest', {}, { times: 1 }))
    expect(await decisions(account, 4)).toEqual(['newest', 'new', 'old', null])
  })

  test('replaced rules start counting over, even if identical', async () => {
    const once = mark('once', {}, { times: 1 })
    const account = await accountWith(once)
    expect(await decisions(account, 2)).toEqual(['once', null])
    await putRules(account, once)
    expect(await decisions(account, 2)).toEqual(['once', null])
  })

  test('restored default rules apply every time', async () => {
    const account = await accountWith(mark('mine'))
    await decides(account)
    await backToDefault(account)
    const declining = { merchant_reference: 'x-declines' }
    expect(await decisions(account, 2, declining)).toEqual(['payment_declined', 'payment_declined'])
  })
})

function fails(code: string): Rule {
  return { after: '0s', status: 'failed', code }
}
