import { expect } from 'vitest'
import type { Answer } from '../gateway/server.ts'
import type { Controlled } from './rules.ts'

export type Fault = Record<string, unknown>

export const sendFaults = (account: Controlled, faults: unknown): Promise<Answer> =>
  account.control('PUT', '/faults', { body: { faults } })

export async function putFaults(account: Controlled, ...faults: Fault[]): Promise<void> {
  const answer = await sendFaults(account, faults)
  expect(answer.status, answer.text).toBe(200)
}

export async function clearFaults(account: Controlled): Promise<void> {
  const answer = await account.control('DELETE', '/faults')
  expect(answer.status, answer.text).toBeLessThan(300)
}

export async function faultsOf(account: Controlled): Promise<Fault[]> {
  const answer = await account.control('GET', '/faults')
  expect(answer.status, answer.text).toBe(200)
  return answer.body.faults
}
