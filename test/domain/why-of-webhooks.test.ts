import { expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { startSimulator } from '../../src/library/start-simulator.ts'

interface Answered {
  readonly id: string
  readonly sentence: string
  readonly data: readonly { readonly record: string; readonly reference: string }[]
}

test('the answer about a payment says what its shop has not heard, and deliveries are found by it', async () => {
  const sim = await startSimulator()
  try {
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${sim.controlUrl}/accounts/default.test${path}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${sim.controlToken}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return (await answer.json()) as Answered
    }
    const endpoint = await call('POST', '/webhook-endpoints', { url: 'http://127.0.0.1:9/hooks' })
    const [account] = sim.accounts
    const client = createClient({
      baseUrl: sim.url,
      publicKey: account?.publicKey ?? '',
      secretKey: account?.secretKey ?? '',
    })
    const pay = (reference: string) =>
      client.payments.create({
        amount: '5000',
        currency: 'THB',
        country: 'TH',
        checkout_mode: 'merchant',
        payment_method: 'th_promptpay',
        merchant_reference: reference,
        customer: { name: 'Ann', email: 'ann@shop.example', phone: '+66812345678' },
      } as Parameters<typeof client.payments.create>[0])
    const [paid, open] = [await pay('r-1'), await pay('r-2')]
    await call('POST', `/payments/${paid.id}/succeed`, {})
    await expect
      .poll(() => call('GET', `/why/${paid.id}`))
      .toMatchObject({
        sentence: expect.stringMatching(
          /The shop has not heard of payment.succeeded: attempt 1 did not succeed/,
        ),
      })
    expect((await call('GET', `/why/${open.id}`)).sentence).not.toContain('heard')
    const found = async (query: string) =>
      (await call('GET', `/webhook-deliveries?${query}`)).data.map(
        ({ record, reference }) => `${record} ${reference}`,
      )
    const one = [`${paid.id} r-1`]
    for (const query of [`payment=${paid.id}`, 'reference=r-1', 'status=failing', `endpoint=${endpoint.id}`])
      expect(await found(query), query).toEqual(one)
    for (const query of [`payment=${open.id}`, 'reference=r-2', 'status=delivered', 'endpoint=we_other'])
      expect(await found(query), query).toEqual([])
  } finally {
    await sim.stop()
  }
})
