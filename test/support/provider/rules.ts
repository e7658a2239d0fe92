import { expect } from 'vitest'
import type { Account, Json } from '../gateway/merchant.ts'
import type { Answer, Call } from '../gateway/server.ts'

/** A provider rule as a test writes it. */

export type Rule = Record<string, unknown>

export interface Controlled {
  control: Call
}

export const sendRules = (account: Controlled, method: 'PUT' | 'POST', rules: unknown): Promise<Answer> =>
  account.control(method, '/rules', { body: { rules } })

export async function putRules(account: Controlled, ...rules: Rule[]): Promise<void> {
  const answer = await sendRules(account, 'PUT', rules)
  expect(answer.status, answer.text).toBe(200)
}

export async function putInFront(account: Controlled, ...rules: Rule[]): Promise<void> {
  const answer = await sendRules(account, 'POST', rules)
  expect(answer.status, answer.text).toBeLessThan(300)
}

export async function backToDefault(account: Controlled): Promise<void> {
  const answer = await account.control('DELETE', '/rules')
  expect(answer.status, answer.text).toBeLessThan(300)
}

export async function rulesOf(account: Controlled): Promise<Rule[]> {
  const answer = await account.control('GET', '/rules')
  expect(answer.status, answer.text).toBe(200)
  return answer.body.rules
}

/** A rule that can be recognised by its effect: its payments fail at once, with its name as the failure code. */
export const mark = (name: string, match?: Rule, more: Rule = {}): Rule => ({
  name,
  ...(match ? { match } : {}),
  outcome: { after: '0s', status: 'failed', code: name },
  ...more,
})

export const markPayouts = (name: string, match: Rule = {}, more: Rule = {}): Rule =>
  mark(name, { kind: 'payout', ...match }, { approval: { after: '0s' }, ...more })

/** The name of the marking rule that decided a payment; null if none did. */
export async function markOn(account: Account, { id }: Json): Promise<string | null> {
  await account.advance('0s')
  return (await account.read(id)).failure_code
}

/** Creates a payment, and returns the name of the marking rule that decided it. */
export const decides = async (account: Account, changes: Rule = {}, method = 'probe_transfer') =>
  markOn(account, await account.pay(method, changes))

export async function decidesPayout(account: Account, changes: Rule = {}): Promise<string | null> {
  const { id } = await addPayout(account, changes)
  await account.advance('0s')
  return (await payoutOf(account, id)).failure_code
}

export async function addPayout(account: Account, changes: Rule = {}): Promise<Json> {
  const answer = await account.control('POST', '/payouts', {
    body: {
      amount: '15000',
      currency: 'THB',
      country: 'TH',
      merchant_reference: 'payout-1',
      recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number: '550412349876' },
      ...changes,
    },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

export async function payoutOf(account: Account, id: string): Promise<Json> {
  const { body } = await account.call('GET', '/payout_intents')
  return body.data.find((payout: Json) => payout.id === id)
}

/** The names of the events about a record, oldest first. */
export async function eventsAbout(account: Controlled, id: string): Promise<string[]> {
  const { body } = await account.control('GET', '/events')
  return body.data
    .filter((event: { data: { id: string } }) => event.data.id === id)
    .map((event: { type: string }) => event.type)
}
