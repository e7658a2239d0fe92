import { expect, test } from 'vitest'
import { type Account, accountOf, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { ownServer, recovered } from '../../support/gateway/shared-server.ts'
import { isLong } from '../../support/long-form.ts'
import { paymentBody, postPayment } from '../../support/payments/payments.ts'
import { addPayouts, cancelPayout, readPayout, walkPages } from '../../support/payments/payouts.ts'

/** Starts all, kills the server once so many have been answered, and returns the answers that came. */
async function killedDuring(
  kill: () => Promise<void>,
  afterAnswers: number,
  requests: (() => Promise<Answer>)[],
) {
  const answers: Answer[] = []
  let killing: Promise<void> | undefined
  const all = requests.map(async request => {
    const answer = await request().catch(() => undefined)
    if (answer === undefined) return
    answers.push(answer)
    if (answers.length >= afterAnswers) killing ??= kill()
  })
  await Promise.all(all)
  await killing
  return answers
}

const create = (account: Account, index: number) =>
  postPayment(account, paymentBody({ merchant_reference: `burst ${index}` }), {
    'idempotency-key': `burst-${index}`,
  })

test.each(isLong ? [1, 40, 150] : [40])(
  'a server killed after %i answers of a burst of creates keeps every answered one',
  async answers => {
    const server = await ownServer()
    const account = await openAccount(server)
    const burst = Array.from({ length: 300 }, (_, index) => () => create(account, index))
    const acknowledged = await killedDuring(server.kill, answers, burst)
    expect(acknowledged.length).toBeGreaterThanOrEqual(answers)

    const same = accountOf(await recovered(server), account.keys)
    for (const { status, body } of acknowledged) {
      expect(status).toBe(201)
      expect(await same.read(body.id)).toEqual(body)
    }
  },
)

test('repeating unanswered creates with their keys makes one payment each', async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  const burst = Array.from({ length: 200 }, (_, index) => () => create(account, index))
  const acknowledged = await killedDuring(server.kill, 60, burst)

  const same = accountOf(await recovered(server), account.keys)
  const repeated = await Promise.all(burst.map((_, index) => succeeded(create(same, index))))
  const ids = new Map(repeated.map(payment => [payment.merchant_reference, payment.id]))
  for (const { body } of acknowledged) expect(ids.get(body.merchant_reference)).toBe(body.id)
  const { data } = await succeeded(same.control('GET', '/payments'))
  expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(200)
})

test('a server killed during a burst of payout cancels keeps every answered cancel', async () => {
  const server = await ownServer()
  const account = await openAccount(server)
  const payouts = await addPayouts(account, 80)
  const burst = payouts.map(
    ({ id }) =>
      () =>
        cancelPayout(account, id, { reason: 'Burst' }),
  )
  const acknowledged = await killedDuring(server.kill, 20, burst)

  const same = accountOf(await recovered(server), account.keys)
  const after = (await walkPages(same, { limit: 100 })).flat()
  expect(after).toHaveLength(80)
  const statusOf = new Map(after.map(({ id, status }) => [id, status]))
  for (const { body } of acknowledged) expect(statusOf.get(body.id)).toBe('cancelled')
})

test('repeated crashes lose nothing', async () => {
  let server = await ownServer()
  const account = await openAccount(server)
  const made: string[] = []
  for (let round = 0; round < 4; round++) {
    const same = accountOf(server, account.keys)
    const [payout] = await addPayouts(same, 3)
    made.push(payout.id)
    await succeeded(cancelPayout(same, payout.id))
    server = await recovered(server)
  }
  for (const id of made)
    expect((await readPayout(accountOf(server, account.keys), id)).status).toBe('cancelled')
})
