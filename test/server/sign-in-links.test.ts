import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SignInLinks } from '../../src/server/dashboard/sign-in-links.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const links = new SignInLinks(() => 'http://127.0.0.1:1/dashboard')
const codeOf = ({ url }: { url: string }) => new URL(url).searchParams.get('code')

test('a code is good once', () => {
  const code = codeOf(links.issue())
  expect([links.redeem(code), links.redeem(code)]).toEqual([true, false])
})

test('a code is good for a quarter of an hour', () => {
  const { expires_in_ms, ...link } = links.issue()
  expect(expires_in_ms).toBe(15 * 60_000)
  const last = links.issue()
  vi.advanceTimersByTime(expires_in_ms - 1)
  expect(links.redeem(codeOf(link))).toBe(true)
  vi.advanceTimersByTime(1)
  expect(links.redeem(codeOf(last))).toBe(false)
})
