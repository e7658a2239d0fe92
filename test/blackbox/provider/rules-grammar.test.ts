import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { type Rule, rulesOf, sendRules } from '../../support/provider/rules.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

interface Problem {
  field: string
  message: string
}

/** Refused, naming the field, and nothing is different afterwards. */
async function problemAt(rules: unknown, field: string): Promise<Problem> {
  const before = await rulesOf(account)
  const answer = await sendRules(account, 'PUT', rules)
  expectError(answer, 400, 'validation_failed')
  expect(await rulesOf(account)).toEqual(before)
  const found = answer.body.error.details.find((problem: Problem) => problem.field === field)
  expect(found, `a problem at ${field} in ${answer.text}`).toBeDefined()
  return found
}

/** All that makes a rule invalid is tested in test/domain/rule-reading; here is that a caller is told of it. */
test.each<[string, Rule, string, RegExp]>([
  ['an unknown key', { match: { metod: 'probe_qr' } }, 'match.metod', /did you mean method/],
  [
    'an unknown value',
    { cancel: { outcome: 'canceled' } },
    'cancel.outcome',
    /never.*did you mean cancelled/,
  ],
  ['what is not a duration', { outcome: { after: 'soon', status: 'failed' } }, 'outcome.after', /duration/],
  ['an impossible count', { times: 0 }, 'times', /\S/],
  ['a contradiction', { match: { kind: 'payout' }, expiry: '1h' }, 'expiry', /only for payments/],
])('%s is refused, and named with its place', async (_, rule, field, message) => {
  expect((await problemAt([{}, rule], `rules.1.${field}`)).message).toMatch(message)
})

test('all problems are reported at once', async () => {
  const answer = await sendRules(account, 'PUT', [{ outcom: 1 }, { times: 0 }])
  const fields = answer.body.error.details.map(({ field }: Problem) => field)
  expect(fields).toEqual(expect.arrayContaining(['rules.0.outcom', 'rules.1.times']))
})

// Time ends with the year 9999: `advance` refuses to go there too.
test('an extreme duration is refused or does not break the account', async () => {
  const after = '99999999d'
  for (const rule of [
    { action: { after } },
    { action: { expires_after: after } },
    { cancel: { after, outcome: 'never' } },
    { outcome: { after, status: 'failed' } },
    { expiry: after },
  ]) {
    const own = await openAccount(server())
    const answer = await sendRules(own, 'PUT', [rule])
    if (answer.status === 400) continue
    const { id } = await own.pay('probe_transfer')
    await own.cancel(id)
    const clock = await own.control('GET', '/clock')
    expect(clock.status, clock.text).toBe(200)
  }
})

describe('a body that is not {rules: […]} is refused', () => {
  test.each([{}, [], { rules: {} }, { rules: 'all' }, { rules: [1] }, { rules: [], rule: [] }])(
    '%j',
    async body => {
      const before = await rulesOf(account)
      expectError(await account.control('PUT', '/rules', { body }), 400, 'validation_failed')
      expect(await rulesOf(account)).toEqual(before)
    },
  )

  test('and so is one that is not JSON', async () => {
    const raw = { raw: '{"rules":', headers: { 'content-type': 'application/json' } }
    expectError(await account.control('PUT', '/rules', raw), 400, 'validation_failed')
  })
})
