import { expect } from 'vitest'
import type { Account, Json } from '../gateway/merchant.ts'

interface Moment {
  /** The time until the moment, in milliseconds. */
  in: number
  /** The members of the record before the moment, and from then on. */
  before: Record<string, unknown>
  then: Record<string, unknown>
}

/** Reads the record one millisecond before the moment, and exactly at the moment. */
export async function expectAtBoundary(
  account: Account,
  read: () => Promise<Json>,
  { in: ms, before, then }: Moment,
): Promise<void> {
  const start = Date.parse(await account.now())
  await account.advance(`${ms - 1}ms`)
  expect(await read(), 'one millisecond early').toMatchObject(before)
  await account.advance('1ms')
  const after = await read()
  expect(after, 'at the moment itself').toMatchObject(then)
  expect(Date.parse(after.updated_at) - start, 'when it was changed').toBe(ms)
}
