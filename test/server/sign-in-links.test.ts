import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SignInLinks } from '../../src/server/dashboard/session.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const links = new SignInLinks(() => 'http://127.0.0.1:1/dashboard')
const codeOf = ({ url }: { url: string }) => new URL(url).searchParams.get('code')

test('a code works once', async () => {
  const code = codeOf(links.issue())
  expect([await links.redeem(code), await links.redeem(code)]).toEqual([true, false])
})

test('a code works for a quarter of an hour', async () => {
  const { expires_in_ms, ...link } = links.issue()
  expect(expires_in_ms).toBe(15 * 60_000)
  const last = links.issue()
  vi.advanceTimersByTime(expires_in_ms - 1)
  expect(await links.redeem(codeOf(link))).toBe(true)
  vi.advanceTimersByTime(1)
  expect(await links.redeem(codeOf(last))).toBe(false)
})

test('a code works once for all processes of a cluster, and in no other cluster', async () => {
  const used = new Set<string>()
  const clusterWith = (secret: string) => ({
    secret,
    useOnce: async (what: string) => !used.has(what) && used.add(what) !== undefined,
  })
  const [one, two, stranger] = ['ours', 'ours', 'theirs'].map(
    secret => new SignInLinks(() => 'http://127.0.0.1:1/dashboard', clusterWith(secret)),
  )
  if (!one || !two || !stranger) throw new Error('three processes')
  const code = codeOf(one.issue())
  expect(await stranger.redeem(code)).toBe(false)
  expect([await two.redeem(code), await one.redeem(code)]).toEqual([true, false])
})

test.each([undefined, '', 'x', ['a', 'b'], `9999999999999.${'a'.repeat(32)}.${'b'.repeat(43)}`])(
  'a made-up code does not work: %j',
  async code => {
    expect(await links.redeem(code)).toBe(false)
  },
)

test('a code with a changed expiry does not work', async () => {
  const code = codeOf(links.issue())
  expect(await links.redeem(code?.replace(/^\d+/, end => String(Number(end) + 1)))).toBe(false)
  expect(await links.redeem(code)).toBe(true)
})
