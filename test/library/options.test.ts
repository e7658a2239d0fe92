import { expect, test } from 'vitest'
import { paysim, simulator, standingAccount } from './library.ts'

/** As somebody without a compiler writes it. */
const wrong = (options: unknown) => options as never

test('an option with a typing error is refused, and what was meant is asked', async () => {
  await expect(paysim.startSimulator(wrong({ sed: 1 }))).rejects.toThrow(
    'startSimulator() has no option sed; did you mean seed?',
  )
  expect(() => paysim.createClient(wrong({ baseURL: 'http://127.0.0.1:1' }))).toThrow('did you mean baseUrl?')
  const sim = await simulator()
  await expect(sim.createAccount(wrong({ clok: 'virtual' }))).rejects.toThrow('did you mean clock?')
  await expect(sim.account('default.test', wrong({ webhook: true }))).rejects.toThrow(
    'did you mean webhooks?',
  )
  const account = await sim.createAccount()
  await expect(account.webhooks.next({}, wrong({ timeout: 1 }))).rejects.toThrow('did you mean timeoutMs?')
  await expect(paysim.startSimulator(wrong(7))).rejects.toThrow(
    'startSimulator() takes an object of options, not 7',
  )
})

test('an event that there is no such thing as is refused, by the compiler and at once', async () => {
  const account = await standingAccount()
  // @ts-expect-error there is no such event
  await expect(account.webhooks.next({ type: 'payment.paid' })).rejects.toThrow(
    'there is no event payment.paid',
  )
  // @ts-expect-error nor is there among several
  await expect(account.webhooks.next({ type: ['payment.suceeded'] })).rejects.toThrow(
    'did you mean payment.succeeded?',
  )
})

test.each([
  [5000, '5000 ms is "5000ms"'],
  [{}, 'a duration such as "5s"'],
  [undefined, 'a duration such as "5s"'],
  [null, 'a duration such as "5s"'],
  [{ by: '5s', to: '2031-01-01T00:00:00Z' }, 'one of'],
])('clock.advance(%j) says what it wants', async (goal, says) => {
  const account = await standingAccount()
  const before = (await account.clock.get()).now
  await expect((async () => account.clock.advance(wrong(goal)))()).rejects.toThrow(says)
  expect((await account.clock.get()).now).toBe(before)
})
