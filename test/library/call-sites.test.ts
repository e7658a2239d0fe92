import { expect, test } from 'vitest'
import { promptPay, standingAccount } from '../support/library/library.ts'

/** The first line of an error's stack that is code. */
async function firstLine(of: Promise<unknown>): Promise<string> {
  const error = await of.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (!(error instanceof Error)) throw new Error('it did not fail')
  return error.stack?.split('\n').find(line => /^\s+at /.test(line)) ?? ''
}

test('the error of a call points at the line of the test that made the call', async () => {
  const { client, payments, clock, webhooks } = await standingAccount()
  const { id } = await client.payments.create(promptPay())
  const lines = [
    await firstLine(client.payments.get('pi_000000000000000000000000')),
    await firstLine(client.payments.create({ ...promptPay(), amount: 'much' })),
    await firstLine(client.payments.wait(id, { timeoutMs: 1 })),
    await firstLine(payments.acceptReceipt(id)),
    await firstLine(clock.set({ mode: 'virtual', now: '2001-01-01T00:00:00Z' })),
    await firstLine(webhooks.next({ type: 'payment.succeeded' }, { timeoutMs: 1 })),
  ]
  for (const line of lines) expect(line).toContain('call-sites.test.ts')
})
